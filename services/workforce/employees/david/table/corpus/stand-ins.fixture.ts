/** Numbers and days that stand for a missing value. */
import { type Case, lines } from './case.fixture.ts'

const beside = (name: string, what: string, every: number, cell: (at: number) => string) =>
  lines(
    name,
    Array.from({ length: 12 }, (_, at) => (at % every === 1 ? what : cell(at))),
  )

export const standIns: readonly Case[] = [
  {
    what: 'a station: -999 where it measured nothing',
    file: beside('temp', '-999', 4, at => `${20 + (at % 7) / 2}`),
    columns: ['temp number: 20 | -999 | 21 | 21.5'],
    warned: [/"temp" has -999 in 3 rows, the first is row 2: far from its other values/],
  },
  {
    what: 'a survey: -9 where nobody answered',
    file: beside('children', '-9', 4, at => `${at % 5}`),
    columns: ['children number: 0 | -9 | 2 | 3'],
    warned: [/"children" has -9 in 3 rows, the first is row 2/],
  },
  {
    what: 'a register: 99999 and -9999 for what is not known',
    file: beside('income', '99999', 4, at => (at === 5 || at === 6 ? '-9999' : `${2000 + at * 100}`)),
    columns: ['income number: 2000 | 99999 | 2200 | 2300'],
    warned: [/"income" has -9999 in row 7:/, /"income" has 99999 in 3 rows, the first is row 2/],
  },
  {
    what: 'a sensor: the smallest whole number of 16 bits',
    file: beside('level', '-32768', 4, at => `${50 + at}`),
    columns: ['level number: 50 | -32768 | 52 | 53'],
    warned: [/"level" has -32768 in 3 rows, the first is row 2/],
  },
  {
    what: 'a contract without an end: 9999-12-31',
    file: beside('valid_to', '9999-12-31', 12, at => `2026-01-${10 + at}`),
    columns: ['valid_to time: 2026-01-10 | 9999-12-31 | 2026-01-12 | 2026-01-13'],
    warned: [/"valid_to" has 9999-12-31 in row 2: far from its other values/],
  },
  {
    what: 'a day of birth that is not known: 1900-01-01',
    file: beside('born', '1900-01-01', 4, at => `19${50 + 3 * at}-05-${10 + at}`),
    columns: ['born time: 1950-05-10 | 1900-01-01 | 1956-05-12 | 1959-05-13'],
    warned: [/"born" has 1900-01-01 in 3 rows, the first is row 2/],
  },
  {
    what: 'numbers and days at an end that stand for themselves',
    file: lines(
      'price,loss,since',
      Array.from(
        { length: 12 },
        (_, at) => `${[999, 499, 99][at % 3]},${at % 4 ? at : -9 - at},${1900 + at * 10}-01-01`,
      ),
    ),
    columns: [
      'price number: 999 | 499 | 99 | 999',
      'loss number: -9 | 1 | 2 | 3',
      'since time: 1900-01-01 | 1910-01-01 | 1920-01-01 | 1930-01-01',
    ],
  },
  {
    what: 'few rows: -999, 99999 and 1900-01-01 once',
    file: lines('temp,wind,income,born', [
      '21.5,-5.5,2000,1980-05-01',
      '-999,3.5,2100,1900-01-01',
      '22.5,-999,99999,1985-05-01',
    ]),
    columns: [
      'temp number: 21.5 | -999 | 22.5',
      'wind number: -5.5 | 3.5 | -999',
      'income number: 2000 | 2100 | 99999',
      'born time: 1980-05-01 | 1900-01-01 | 1985-05-01',
    ],
    warned: [
      /"temp" has -999 in row 2:/,
      /"wind" has -999 in row 3:/,
      /"income" has 99999 in row 3:/,
      /"born" has 1900-01-01 in row 2:/,
    ],
  },
  {
    what: 'prices that end in nines, amounts and days that come again far from the others, and one debit',
    file: lines(
      'price,loan,ordered,balance,z',
      Array.from(
        { length: 24 },
        (_, at) =>
          `${[5, 9, 19, 29, 99, 999][at % 6]},${at % 8 === 3 ? 500_000 : 1000 + at * 100},${at % 8 === 3 ? '2025-06-01' : `2026-01-0${1 + (at % 7)}`},${at === 2 ? -99 : 7 + at * 20},${at % 8 === 3 ? -4.25 : (at % 7) / 100}`,
      ),
    ),
    columns: [
      'price number: 5 | 9 | 19 | 29',
      'loan number: 1000 | 1100 | 1200 | 500000',
      'ordered time: 2026-01-01 | 2026-01-02 | 2026-01-03 | 2025-06-01',
      'balance number: 7 | 27 | -99 | 67',
      'z number: 0 | 0.01 | 0.02 | -4.25',
    ],
  },
  {
    what: 'codes of a survey for those who gave no answer, and one day of birth that is not known',
    file: lines(
      'visits,born',
      Array.from({ length: 24 }, (_, at) => `${at % 8 === 3 ? 777 : at % 6},${at === 1 ? 1900 : 1950 + 2 * at}-01-01`),
    ),
    columns: ['visits number: 0 | 1 | 2 | 777', 'born time: 1950-01-01 | 1900-01-01 | 1954-01-01 | 1956-01-01'],
    warned: [/"visits" has 777 in 3 rows, the first is row 4/, /"born" has 1900-01-01 in row 2/],
  },
  {
    what: 'days in digits, of which one is 0',
    file: lines('shipped,v', ['0,1', '20260105,2', '20260106,3', '20260107,4']),
    columns: ['shipped number: 0 | 20260105 | 20260106 | 20260107', 'v number: 1 | 2 | 3 | 4'],
    warned: [/"shipped" is read as numbers, as 0 in row 1 is no day\. Leave such cells empty if the others are days/],
  },
  {
    what: 'days in digits below a 0, in a column that says so',
    file: lines('order_date,v', ['0,1', '20260105,2']),
    columns: ['order_date number: 0 | 20260105', 'v number: 1 | 2'],
    warned: [/"order_date" is read as numbers, as 0 in row 1 is no time that is known/],
  },
  {
    what: 'a week that its year does not have',
    file: lines('week,v', ['202401,1', '202453,2']),
    columns: ['week number: 202401 | 202453', 'v number: 1 | 2'],
    warned: [/"week" is read as numbers, as 202453 in row 2 is no time that is known: write 2026-W05/],
  },
]
