/** Weeks, quarters, seasons and days that are easily taken for something else. */
import { type Case, lines } from './case.fixture.ts'

const NO_TIME = /in row 1 is no time that is known: write 2026-01-31/
const THREE = 'v number: 1 | 2 | 3'

export const periods: readonly Case[] = [
  {
    what: 'weeks that look like months',
    file: lines('KW;v', ['01/2026;1', '02/2026;2', '03/2026;3']),
    columns: ['KW time: 2025-12-29 | 2026-01-05 | 2026-01-12', THREE],
    warned: [/"KW" is read as weeks \(ISO 8601\): "01\/2026" begins on 2025-12-29/],
  },
  {
    what: 'weeks without a sign between, over the end of a year',
    file: lines('week,v', ['202552,1', '202601,2', '202602,3']),
    columns: ['week time: 2025-12-22 | 2025-12-29 | 2026-01-05', THREE],
    warned: [/"week" is read as weeks \(ISO 8601\): "202552" begins on 2025-12-22/],
  },
  {
    what: 'weeks that look like decimals',
    file: lines('Kalenderwoche;v', ['2026.01;1', '2026.02;2', '2026.10;3']),
    columns: ['Kalenderwoche time: 2025-12-29 | 2026-01-05 | 2026-03-02', THREE],
    warned: [/"2026\.01" begins on 2025-12-29/],
  },
  {
    what: 'weeks whose column is called so, in a form that is not known',
    file: lines('KW;v', ['KW01 2026;1', 'KW02 2026;2']),
    columns: ['KW text: KW01 2026 | KW02 2026', 'v number: 1 | 2'],
    warned: [NO_TIME],
  },
  {
    what: 'days of weeks as ISO 8601 has them',
    file: lines('w,v', ['2026-W01-1,1', '2026-W01-2,2']),
    columns: ['w time: 2025-12-29 | 2025-12-30', 'v number: 1 | 2'],
  },
  {
    what: 'quarters that look like months',
    file: lines('Quartal;v', ['3/2025;1', '4/2025;2', '1/2026;3']),
    columns: ['Quartal time: 2025-07-01 | 2025-10-01 | 2026-01-01', THREE],
    warned: [/"Quartal" is read as quarters: "3\/2025" begins on 2025-07-01/],
  },
  {
    what: 'quarters of years of two digits',
    file: lines('q,v', ['Q4/25,1', '1Q26,2']),
    columns: ['q time: 2025-10-01 | 2026-01-01', 'v number: 1 | 2'],
    warned: [/"q" is read as quarters: "Q4\/25" begins on 2025-10-01/],
  },
  {
    what: 'quarters in French and in German',
    file: lines('a;b', ['T4 2025;4. Quartal 2025', 'T1 2026;1. Quartal 2026']),
    columns: ['a time: 2025-10-01 | 2026-01-01', 'b time: 2025-10-01 | 2026-01-01'],
  },
  {
    what: 'quarters in Roman numbers',
    file: lines('Quartal;v', ['I/2026;1', 'II/2026;2']),
    columns: ['Quartal text: I/2026 | II/2026', 'v number: 1 | 2'],
    warned: [NO_TIME],
  },
  {
    what: 'seasons that look like months',
    file: lines('season,v', ['2009/10,1', '2010/11,2', '2011/12,3']),
    columns: ['season time: 2009-01-01 | 2010-01-01 | 2011-01-01', THREE],
    warned: [/"season" is read as years that end in the next: "2009\/10" begins on 2009-01-01/],
  },
  {
    what: 'four digits that are no years',
    file: lines('part,v', ['0123,1', '1456,2', '2456,3']),
    columns: ['part text: 0123 | 1456 | 2456', THREE],
  },
  {
    what: 'days, months and years without signs between',
    file: lines('Datum;v', ['3012026;1', '14012026;2', '31122026;3']),
    columns: ['Datum time: 2026-01-03 | 2026-01-14 | 2026-12-31', THREE],
    warned: [/"Datum" is read as times: "3012026" is the day 2026-01-03/],
  },
  {
    what: 'DATEV: days and months without a year',
    file: lines('Belegdatum;v', ['0301;1', '1401;2', '3112;3']),
    columns: ['Belegdatum text: 0301 | 1401 | 3112', THREE],
    warned: [NO_TIME],
  },
  {
    what: 'MT940: days as numbers in a column that says so',
    file: lines('Valuta;v', ['260113;1', '260114;2', '260115;3']),
    columns: ['Valuta number: 260113 | 260114 | 260115', THREE],
    warned: [/"Valuta" is read as numbers, as 260113 in row 1 is no time that is known/],
  },
  {
    what: 'days with points and the month first',
    file: lines('d,v', ['1.13.2026,1', '1.14.2026,2']),
    columns: ['d text: 1.13.2026 | 1.14.2026', 'v number: 1 | 2'],
    warned: [NO_TIME],
  },
  {
    what: 'days in both orders',
    file: lines('d,v', ['13/01/2026,1', '01/14/2026,2', '01/02/2026,3']),
    columns: ['d text: 13/01/2026 | 01/14/2026 | 01/02/2026', THREE],
    warned: [/"01\/14\/2026" in row 2 and "13\/01\/2026" in row 1 are written in two ways/],
  },
  {
    what: 'times with names of zones',
    file: lines('at,v', ['2026-03-29 01:30 CET,1', '2026-03-29 03:30 CEST,2']),
    columns: ['at text: 2026-03-29 01:30 CET | 2026-03-29 03:30 CEST', 'v number: 1 | 2'],
    warned: [NO_TIME],
  },
  {
    what: 'times of which some have a zone',
    file: lines('at,v', ['2026-01-02T01:30:00Z,1', '2026-01-02T03:30:00,2']),
    columns: ['at time: 2026-01-02T01:30:00 | 2026-01-02T03:30:00', 'v number: 1 | 2'],
    warned: [/others without, for example "2026-01-02T03:30:00" in row 2, which is read as UTC/],
  },
  {
    what: 'days and hours as JavaScript writes them',
    file: lines('x,v', ['Mon Jan 12 2026 08:00:00 GMT+0100,1', 'Tue Jan 13 2026 08:00:00 GMT+0100,2']),
    columns: ['x text: Mon Jan 12 2026 08:00:00 GMT+0100 | Tue Jan 13 2026 08:00:00 GMT+0100', 'v number: 1 | 2'],
    warned: [NO_TIME],
  },
  {
    what: 'genes that a spreadsheet made days of',
    file: lines('gene,v', ['1-Sep,1', '1-Mar,2', '2-Sep,3']),
    columns: ['gene text: 1-Sep | 1-Mar | 2-Sep', THREE],
    warned: [NO_TIME],
  },
  {
    what: 'seconds of Unix in a column called ts',
    file: '[{"ts":1767225600,"v":1},{"ts":1767312000,"v":2}]',
    name: 'a.json',
    columns: ['ts time: 2026-01-01 | 2026-01-02', 'v number: 1 | 2'],
    warned: [/"1767225600" is a Unix time of 2026-01-01/],
  },
  {
    what: 'halves of years that look like months',
    file: lines('Halbjahr;v', ['1/2026;1', '2/2026;2']),
    columns: ['Halbjahr time: 2026-01-01 | 2026-07-01', 'v number: 1 | 2'],
    warned: [/"Halbjahr" is read as halves of years: "1\/2026" begins on 2026-01-01/],
  },
  {
    what: 'a year and a week',
    file: lines('Jahr;KW;v', ['2025;52;1', '2026;1;2']),
    columns: ['Jahr KW time: 2025-12-22 | 2025-12-29', 'KW text: 52 | 1', 'v number: 1 | 2'],
    warned: [/"Jahr" and "KW" are read together as times: the first row is 2025-W52/],
  },
  {
    what: 'a year and a month without a sign between, in two rows',
    file: lines('year_month,v', ['202601,1', '202602,2']),
    columns: ['year_month time: 2026-01-01 | 2026-02-01', 'v number: 1 | 2'],
    warned: [/"202601" is the month of 2026-01-01/],
  },
  {
    what: 'a year, a month and a day',
    file: lines('year,month,day,v', ['2026,1,31,1', '2026,2,1,2']),
    columns: [
      'year month day time: 2026-01-31 | 2026-02-01',
      'month text: 1 | 2',
      'day text: 31 | 1',
      'v number: 1 | 2',
    ],
    warned: [/"year", "month" and "day" are read together as times: the first row is 2026-1-31/],
  },
  {
    what: 'a year, a month and a day that the month has not',
    file: lines('Jahr;Monat;Tag;v', ['2026;Januar;31;1', '2026;Februar;30;2']),
    columns: [
      'Jahr Monat time: 2026-01-01 | 2026-02-01',
      'Monat text: Januar | Februar',
      'Tag number: 31 | 30',
      'v number: 1 | 2',
    ],
    warned: [/the first row is 2026-1\. "Tag" is left out of them, as "30" in row 2 is no day of its month/],
  },
  {
    what: 'names of months in Polish, Spanish, Italian, Portuguese and Dutch',
    file: lines('a,b,c,d,e', [
      'styczeń 2026,enero de 2026,gennaio 2026,março de 2026,maart 2026',
      'październik 2026,agosto de 2026,luglio 2026,outubro de 2026,augustus 2026',
    ]),
    columns: [
      'a time: 2026-01-01 | 2026-10-01',
      'b time: 2026-01-01 | 2026-08-01',
      'c time: 2026-01-01 | 2026-07-01',
      'd time: 2026-03-01 | 2026-10-01',
      'e time: 2026-03-01 | 2026-08-01',
    ],
  },
  {
    what: 'days with names of months in Polish, Spanish, Italian, Portuguese and Dutch',
    file: lines('a,b,c,d,e', [
      '12 października 2026,3 de enero de 2026,5 ott 2026,5 de maio de 2026,1 mrt. 2026',
      '13 grudnia 2026,4 de mayo de 2026,6 dic 2026,6 de maio de 2026,2 mei 2026',
    ]),
    columns: [
      'a time: 2026-10-12 | 2026-12-13',
      'b time: 2026-01-03 | 2026-05-04',
      'c time: 2026-10-05 | 2026-12-06',
      'd time: 2026-05-05 | 2026-05-06',
      'e time: 2026-03-01 | 2026-05-02',
    ],
  },
  {
    what: 'names of months that are not known',
    file: lines('d,v', ['5 мая 2026,1', '6 июня 2026,2']),
    columns: ['d text: 5 мая 2026 | 6 июня 2026', 'v number: 1 | 2'],
    warned: [NO_TIME],
  },
  {
    what: 'years of a company, halves of years, periods of SAP and weeks, whatever their columns are called',
    file: lines('a;b;c;d;e;f', [
      'FY24;FY2024 Q1;H1 2026;2026-012;KW 1/2026;012.2026',
      'FY25;FY2024 Q2;H2 2026;2026-011;KW 2/2026;011.2026',
    ]),
    columns: [
      'a text: FY24 | FY25',
      'b text: FY2024 Q1 | FY2024 Q2',
      'c text: H1 2026 | H2 2026',
      'd text: 2026-012 | 2026-011',
      'e text: KW 1/2026 | KW 2/2026',
      'f text: 012.2026 | 011.2026',
    ],
    warned: [
      /"a" is taken for a text, as "FY24" in row 1/,
      /"b" is taken for a text, as "FY2024 Q1" in row 1/,
      /"c" is taken for a text, as "H1 2026" in row 1/,
      /"d" is taken for a text, as "2026-012" in row 1/,
      /"e" is taken for a text, as "KW 1\/2026" in row 1/,
      /"f" is taken for a text, as "012\.2026" in row 1 is no time/,
    ],
  },
  {
    what: 'periods of SAP without a sign between',
    file: lines('Periode;v', ['2026011;1', '2026012;2']),
    columns: ['Periode number: 2026011 | 2026012', 'v number: 1 | 2'],
    warned: [/"Periode" is read as numbers, as 2026011 in row 1 is no time that is known/],
  },
  {
    what: 'times of the day without a sign between',
    file: lines('time,dep_time', ['900,5', '1430,517', '1515,2400']),
    columns: ['time number: 900 | 1430 | 1515', 'dep_time number: 5 | 517 | 2400'],
    warned: [
      /"time" is read as numbers, for example 900 in row 1\. Write 9:00 if they are times of the day/,
      /"dep_time" is read as numbers, for example 517 in row 2\. Write 5:17/,
    ],
  },
  {
    what: 'years of two digits that come first',
    file: lines('d,v', ['26/01/13,1', '26/01/14,2']),
    columns: ['d time: 2013-01-26 | 2014-01-26', 'v number: 1 | 2'],
    warned: [/"d" has years of two digits: "26\/01\/13" in row 1 is read as 2013-01-26\. Write all four digits if/],
  },
  {
    what: 'years of a company above their sum',
    file: lines('p,v', ['FY24,1', 'FY25,2', 'Total,3']),
    columns: ['p text: FY24 | FY25 | Total', THREE],
    warned: [/Row 3, the last, says "Total"/, /"p" is taken for a text, as "FY24" in row 1 is no time/],
  },
]
