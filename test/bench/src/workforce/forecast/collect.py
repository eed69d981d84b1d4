"""Writes series.json: `python3 collect.py > series.json`, where R and the Python packages below are installed.

The series are those that ship in the packages (statsmodels, sktime; collect.R has those of R). What is only allowed to its
authors, or says nothing of it, is left out.
"""
import csv, importlib, json, os, subprocess, sys
from importlib.metadata import version

import pandas as pd
import sktime

HERE = os.path.dirname(__file__)
HORIZON = {  # those of the M4 competition; Makridakis, Spiliotis and Assimakopoulos (2020), table 1
    'yearly': 6, 'quarterly': 8, 'monthly': 18, 'four-weekly': 13, 'weekly': 13, 'daily': 14,
    'hourly': 48, 'half-hourly': 48, 'other': 8,
}


def main():
    every = [*from_r(), *from_statsmodels(), *from_sktime()]
    lines = [json.dumps(series, separators=(',', ':')) for series in every]
    sys.stdout.write('[\n' + ',\n'.join(lines) + '\n]\n')


def series(role, package, name, frequency, period, values, last=400):
    values = [float(f'{value:.9g}') for value in values][-last:]
    return {'role': role, 'package': package, 'name': name, 'frequency': frequency, 'period': period,
            'horizon': HORIZON[frequency], 'values': [int(value) if value.is_integer() else value for value in values]}


def from_r():
    script = os.path.join(HERE, 'collect.R')
    lines = subprocess.run(['Rscript', script], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        role, package, name, frequency, period, values = line.split('\t')
        yield series(role, 'R ' + package, name, frequency, int(period), map(float, values.split()), last=10**6)


def from_statsmodels():
    def table(name):
        return importlib.import_module(f'statsmodels.datasets.{name}').load_pandas().data

    def judged(name, frequency, period, values, last=400):
        return series('judged', 'statsmodels', name, frequency, period, values, last)

    macro = table('macrodata')
    for column in ('realgdp', 'realcons', 'realinv', 'realgovt', 'realdpi', 'cpi', 'm1', 'tbilrate', 'unemp', 'infl'):
        yield judged(f'macrodata.{column}', 'quarterly', 4, macro[column])
    danish = table('danish_data')
    for column in ('lrm', 'lry', 'ibo', 'ide'):
        yield judged(f'danish_data.{column}', 'quarterly', 4, danish[column])
    yield judged('elec_equip', 'monthly', 12, table('elec_equip').iloc[:, 0])
    yield judged('elnino', 'monthly', 12, table('elnino').drop(columns='YEAR').to_numpy().ravel())
    yield judged('co2 by the week', 'weekly', 52, table('co2')['co2'].interpolate(), 260)


def from_sktime():
    def rows(path):
        with open(os.path.join(os.path.dirname(sktime.__file__), 'datasets/data', path)) as file:
            return list(csv.DictReader(file))

    def judged(name, frequency, period, path, column):
        values = [float(row[column]) for row in rows(path)]
        return series('judged', 'sktime', name, frequency, period, values)

    for column in ('Consumption', 'Income', 'Production', 'Savings', 'Unemployment'):
        yield judged(f'Uschange.{column}', 'quarterly', 4, 'Uschange/Uschange.csv', column)
    yield judged('PBS_dataset', 'monthly', 12, 'PBS_dataset/PBS_dataset.csv', 'Scripts')
    yield judged('solar', 'half-hourly', 48, 'solar/solar.csv', 'solar_gen')
    shampoo = rows('ShampooSales/ShampooSales.csv')
    yield series('tuning', 'sktime', 'ShampooSales', 'monthly', 12, [float(row['Sales']) for row in shampoo])


if __name__ == '__main__':
    main()
