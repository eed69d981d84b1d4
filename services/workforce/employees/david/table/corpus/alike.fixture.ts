/** Measures that are called like codes, rows that look like rules, headers or sums, and codes that look like periods. */
import { packed, rowsXml, workbook } from '../xlsx.fixture.ts'
import { type Case, lines } from './case.fixture.ts'

const measures = (names: readonly string[]): Case => ({
  what: `measures called ${names.join(', ')}`,
  file: lines(
    names.join(';'),
    [17, 23].map(value => names.map(() => value).join(';')),
  ),
  columns: names.map(name => `${name} number: 17 | 23`),
})

export const alike: readonly Case[] = [
  measures(['new account', 'active account', 'savings account', 'revenue per account', 'orders per account']),
  measures(['Umsatz pro Kunde', 'Neue Kunde', 'code coverage', 'code_smells', 'code lines', 'code churn']),
  measures(['code review hours', 'id count', 'id_value', 'id_time_ms', 'id card holders', 'N° clients']),
  {
    what: 'cells of dashes for a value that is missing, beside others and alone',
    file: lines('comment,v', ['good,1', '---,', '---,2', '"-----","---"', 'bad,3']),
    columns: ['comment text: good | --- | --- | -----', 'v text: 1 | NaN | 2 | ---'],
    warned: [/"v" is taken for a text, as "---"/],
  },
  {
    what: 'cells of dashes in a table of one column',
    file: lines('comment', ['good', '------', 'bad']),
    columns: ['comment text: good | ------ | bad'],
  },
  {
    what: 'a line of dashes between rows with commas',
    file: lines('k,v', ['a,1', 'b,2', '-------', '---,---', 'c,3']),
    columns: ['k text: a | b | c', 'v number: 1 | 2 | 3'],
    warned: [/2 lines of dashes are left out, the first below row 2/],
  },
  {
    what: 'a list without a header whose first row comes again',
    file: lines('alice,bob', ['carol,dave', 'alice,bob']),
    columns: ['alice text: carol | alice', 'bob text: dave | bob'],
  },
  {
    what: 'a header that comes again among numbers',
    file: lines('k,v', ['a,1', 'k,v', 'b,2', 'k,v']),
    columns: ['k text: a | b', 'v number: 1 | 2'],
    warned: [/The header comes again in 2 rows, which are left out, the first below row 1/],
  },
  {
    what: 'days among which one is 0, and lengths of time past a day, of a workbook',
    name: 'a.xlsx',
    file: packed(
      workbook({
        A: rowsXml([
          ['day', 'spent'],
          ...[46023, 0, 46025].map(
            (serial, at) =>
              [
                [serial, 's="1"'],
                [[0.25, 1.25, 2.5][at] ?? 0, 's="2"'],
              ] as const,
          ),
        ]),
      }),
    ),
    columns: ['day time: 2026-01-01 | 1899-12-30 | 2026-01-03', 'spent text: 06:00:00 | 30:00:00 | 60:00:00'],
    warned: [/"day" has 1899-12-30 in row 2: far from its other values/],
  },
  {
    what: 'models, and codes with a Q',
    file: lines('model,part,size', ['T11990,Q1-10,1Q 10', 'T4 1200,Q2-10,2Q 10']),
    columns: ['model text: T11990 | T4 1200', 'part text: Q1-10 | Q2-10', 'size text: 1Q 10 | 2Q 10'],
  },
  {
    what: 'months whose next is as the year after',
    file: lines('month,date,ref', ['2010-11,2005-06,2003-04', '2011-12,2006-07,2004-05']),
    columns: [
      'month time: 2010-11-01 | 2011-12-01',
      'date time: 2005-06-01 | 2006-07-01',
      'ref time: 2003-04-01 | 2004-05-01',
    ],
  },
  {
    what: 'a week 53 that the year has not',
    file: lines('week,v', ['2023-W53,1', '2023-W52,2']),
    columns: ['week text: 2023-W53 | 2023-W52', 'v number: 1 | 2'],
    warned: [/"2023-W53" in row 1/],
  },
  {
    what: 'a year and a week 53 that it has not',
    file: lines('Jahr;KW;v', ['2023;53;1', '2024;1;2']),
    columns: ['Jahr time: 2023-01-01 | 2024-01-01', 'KW number: 53 | 1', 'v number: 1 | 2'],
    warned: [/"2023" is the year of/],
  },
  {
    what: 'many sums between many rows',
    file: lines(
      'k,v',
      Array.from({ length: 120 }, (_, at) => (at % 10 === 0 ? `Total,${at}` : `a,${at}`)),
    ),
    columns: ['k category: Total | a | a | a', 'v number: 0 | 1 | 2 | 3'],
    warned: [/12 rows say "Total" or the like, the first is row 1: they are read like the others/],
  },
  {
    what: 'a title and a level that are no sums',
    file: lines(
      'title,sex',
      Array.from({ length: 20 }, (_, at) => `${at === 3 ? 'Total Recall' : `x${at}`},${at % 2 ? 'Total' : 'f'}`),
    ),
    columns: ['title text: x0 | x1 | x2 | Total Recall', 'sex category: f | Total | f | Total'],
  },
  {
    what: 'letters behind numbers that are no units',
    file: lines('flat,room', ['1 A,1.5 X', '2 A,2.5 X']),
    columns: ['flat text: 1 A | 2 A', 'room text: 1.5 X | 2.5 X'],
  },
  {
    what: 'texts with commas and a cell of dashes below a header of one column',
    file: lines('comment', ['hello', '------', 'bye,']),
    columns: ['comment text: hello | ------ | bye'],
  },
  {
    what: 'Markdown whose first row is as the header',
    file: lines('| a | b |', ['|---|---|', '| a | b |', '| c | d |'], '\n'),
    columns: ['a text: a | c', 'b text: b | d'],
    warned: [/One line of dashes, right below the header/],
  },
  {
    what: 'a header that comes again on each page of a workbook',
    name: 'a.xlsx',
    file: packed(
      workbook({
        A: rowsXml([
          ['k', 'v'],
          ['a', 1],
          ['k', 'v'],
          ['b', 2],
        ]),
      }),
    ),
    columns: ['k text: a | b', 'v number: 1 | 2'],
    warned: [/The header comes again below row 1 and is left out there/],
  },
  {
    what: 'days and times of no day of a workbook that counts from 1904',
    name: 'a.xlsx',
    file: packed(
      workbook(
        {
          A: rowsXml([
            ['at', 'day'],
            [
              [0.25, 's="2"'],
              [44561, 's="1"'],
            ],
            [
              [1.5, 's="2"'],
              [44562, 's="1"'],
            ],
          ]),
        },
        { epoch1904: true },
      ),
    ),
    columns: ['at text: 06:00:00 | 36:00:00', 'day time: 2026-01-01 | 2026-01-02'],
  },
  {
    what: 'prices and measurements that are no versions, and lengths of time',
    file: lines('price,rounded,time', ['1.10,0.10,0', '2.20,12.3,130', '3.50,1.25,260']),
    columns: ['price number: 1.1 | 2.2 | 3.5', 'rounded number: 0.1 | 12.3 | 1.25', 'time number: 0 | 130 | 260'],
  },
  {
    what: 'versions in a column that is called otherwise',
    file: lines('release', ['1.10', '1.2', '1.20']),
    columns: ['release number: 1.1 | 1.2 | 1.2'],
    warned: [/"release" is read as numbers, so "1\.10" in row 1 is 1\.1\. Call the column "version"/],
  },
  {
    what: 'prices of which some are typed with a zero at the end, and clauses of a contract',
    file: lines('price,conc,clause', ['1.50,0.10,1.9', '2.5,1.0,1.10', '3,10,1.11', '10.20,0.250,2.1']),
    columns: [
      'price number: 1.5 | 2.5 | 3 | 10.2',
      'conc number: 0.1 | 1 | 10 | 0.25',
      'clause number: 1.9 | 1.1 | 1.11 | 2.1',
    ],
    warned: [/"clause" is read as numbers, so "1\.10" in row 2 is 1\.1\. Call the column "version"/],
  },
  {
    what: 'seconds, laps, lengths of time, and times of the day with AM and PM',
    file: lines('time,start_time,lap time,duration,Time', [
      '130,0,1:23.4,1h20,8:30:00 AM',
      '245,120,1:24.1,2h30,12:05 PM',
      '359,345,59:22.9,1h45,11:59:59 p.m.',
    ]),
    columns: [
      'time number: 130 | 245 | 359',
      'start_time number: 0 | 120 | 345',
      'lap time text: 1:23.4 | 1:24.1 | 59:22.9',
      'duration text: 1h20 | 2h30 | 1h45',
      'Time (2) text: 8:30:00 AM | 12:05 PM | 11:59:59 p.m.',
    ],
  },
  {
    what: 'sets, pins and generations that are called as months are elsewhere, and months',
    file: lines('set,pin,car,mese,month', [
      'Set-10,OUT-10,Gen 2010,set 2025,dic 2025',
      'Set-11,OUT-11,Gen 2011,ott 2025,gen 2026',
    ]),
    columns: [
      'set text: Set-10 | Set-11',
      'pin text: OUT-10 | OUT-11',
      'car text: Gen 2010 | Gen 2011',
      'mese time: 2025-09-01 | 2025-10-01',
      'month time: 2025-12-01 | 2026-01-01',
    ],
  },
  {
    what: 'codes that look like powers of ten',
    file: lines('batch,v', ['1E5,1e5', '2E7,1.5E+10']),
    columns: ['batch number: 100000 | 20000000', 'v number: 100000 | 15000000000'],
    warned: [/"batch" is read as numbers, so "1E5" in row 1 is 100000\. Call the column "id" if it has codes/],
  },
  {
    what: 'numbers of projects and cases that look like periods of SAP',
    file: lines('project,Aktenzeichen,Document No.', ['2026-001,2026-001,2026-001', '2026-002,2026-002,2026-002']),
    columns: [
      'project text: 2026-001 | 2026-002',
      'Aktenzeichen text: 2026-001 | 2026-002',
      'Document No. text: 2026-001 | 2026-002',
    ],
  },
  {
    what: 'numbers of invoices that look like periods, and models that look like halves of years',
    file: lines('invoice,model', ['2026-001,H110', '2026-002,H120']),
    columns: ['invoice text: 2026-001 | 2026-002', 'model text: H110 | H120'],
  },
  {
    what: 'infinite numbers in two rows',
    file: lines('v,w', ['1,inf', '-Infinity,2']),
    columns: ['v text: 1 | -Infinity', 'w text: inf | 2'],
    warned: [/"v" is taken for a text, as "-Infinity" in row 2 is no number/, /"inf" in row 1 is no number/],
  },
]
