/** As Excel, LibreOffice and Google Sheets save them. */
import { packed, rowsXml, workbook } from '../xlsx.fixture.ts'
import { type Case, lines } from './case.fixture.ts'

export const spreadsheets: readonly Case[] = [
  {
    what: 'Excel, German: semicolons, decimal commas, days with points',
    file: `\uFEFF${lines('Datum;Umsatz', ['01.02.2026;1.234,50', '02.02.2026;999,00'])}`,
    columns: ['Datum time: 2026-02-01 | 2026-02-02', 'Umsatz number: 1234.5 | 999'],
  },
  {
    what: 'Excel, German: thousands with points, settled by a column with decimals',
    file: lines('Stück;Preis', ['1.234;2,50', '2.345;3,75']),
    columns: ['Stück number: 1234 | 2345', 'Preis number: 2.5 | 3.75'],
    warned: [/"Stück" is read with a decimal comma, as in other columns: "1\.234" as 1234/],
  },
  {
    what: 'Excel, German: thousands with points and nothing else',
    file: lines('Ort;Einwohner', ['Aurich;1.234', 'Emden;2.345', 'Jever;3.456']),
    columns: ['Ort text: Aurich | Emden | Jever', 'Einwohner number: 1234 | 2345 | 3456'],
    warned: [/"Einwohner" is read with a decimal comma, as cells are separated by semicolons: "1\.234" as 1234/],
  },
  {
    what: 'Excel, German: points as thousands twice',
    file: lines('Ort,Einwohner', ['Berlin,3.769.495', 'Hamburg,1.841.179', 'Ulm,126.405']),
    columns: ['Ort text: Berlin | Hamburg | Ulm', 'Einwohner number: 3769495 | 1841179 | 126405'],
  },
  {
    what: 'Excel, American: thousands with commas in quotes',
    file: lines('month,sales', ['Jan-26,"1,234"', 'Feb-26,"12,345"', 'Mar-26,999']),
    columns: ['month time: 2026-01-01 | 2026-02-01 | 2026-03-01', 'sales number: 1234 | 12345 | 999'],
    warned: [
      /"sales" is read with a decimal point: "1,234" as 1234/,
      /"month" has years of two digits: "Jan-26" in row 1 is read as 2026-01-01/,
    ],
  },
  {
    what: 'Excel, American: days with slashes, one of them past the twelfth',
    file: lines('Date,v', ['1/2/2026,1', '1/13/2026,2']),
    columns: ['Date time: 2026-01-02 | 2026-01-13', 'v number: 1 | 2'],
  },
  {
    what: 'Excel, British: days with slashes, one of them past the twelfth',
    file: lines('Date,v', ['01/02/2026,1', '13/02/2026,2']),
    columns: ['Date time: 2026-02-01 | 2026-02-13', 'v number: 1 | 2'],
  },
  {
    what: 'days with slashes that another column settles',
    file: lines('ordered,paid', ['01/02/2026,13/02/2026', '02/02/2026,14/02/2026']),
    columns: ['ordered time: 2026-02-01 | 2026-02-02', 'paid time: 2026-02-13 | 2026-02-14'],
    warned: [/"ordered" is read with the day first, as in other columns: "01\/02\/2026" as 2026-02-01/],
  },
  {
    what: 'days with slashes that only follow each other with the day first',
    file: lines('d,v', ['01/02/2026,1', '02/02/2026,2', '03/02/2026,3', '04/02/2026,4']),
    columns: ['d time: 2026-02-01 | 2026-02-02 | 2026-02-03 | 2026-02-04', 'v number: 1 | 2 | 3 | 4'],
    warned: [/"d" is read with the day first, as its rows then follow each other/],
  },
  {
    what: 'days with slashes that nothing settles',
    file: lines('d,v', ['03/04/2026,1', '05/01/2026,2', '02/06/2026,3']),
    columns: ['d time: 2026-03-04 | 2026-05-01 | 2026-02-06', 'v number: 1 | 2 | 3'],
    warned: [/"d" is read with the month first: "03\/04\/2026" as 2026-03-04. Say `date_order`/],
  },
  {
    what: 'days with slashes whose order is said',
    input: { csv: 'd,v\n03/04/2026,1\n05/01/2026,2\n', date_order: 'day_first' },
    columns: ['d time: 2026-04-03 | 2026-01-05', 'v number: 1 | 2'],
  },
  {
    what: 'numbers whose decimal sign is said',
    input: { csv: 'a;b\n1.234;1,5\n2.345;1,5\n', decimal: 'comma' },
    columns: ['a number: 1234 | 2345', 'b number: 1.5 | 1.5'],
  },
  {
    what: 'Excel: 12-Jan-26',
    file: lines('Date,v', ['12-Jan-26,1', '13-Jan-26,2']),
    columns: ['Date time: 2026-01-12 | 2026-01-13', 'v number: 1 | 2'],
    warned: [/years of two digits/],
  },
  {
    what: 'Excel, German: 12.01.26 and times of day',
    file: lines('Zeit;v', ['12.01.26 08:30;1', '12.01.26 09:30;2']),
    columns: ['Zeit time: 2026-01-12T08:30:00 | 2026-01-12T09:30:00', 'v number: 1 | 2'],
    warned: [/years of two digits/],
  },
  {
    what: 'German days in words',
    file: lines('Tag;v', ['1. Januar 2026;1', '2. März 2026;2', '3. Dez. 2026;3']),
    columns: ['Tag time: 2026-01-01 | 2026-03-02 | 2026-12-03', 'v number: 1 | 2 | 3'],
  },
  {
    what: 'French days and numbers: narrow spaces, decimal commas, euros behind',
    file: lines('jour;montant', ['1er janv. 2026;1\u202F234,50 €', '2 février 2026;12,00 €']),
    columns: ['jour time: 2026-01-01 | 2026-02-02', 'montant number: 1234.5 | 12'],
    warned: [/"montant" is read as numbers: "1\s234,50 €" as 1234\.5/],
  },
  {
    what: 'Swiss numbers: apostrophes',
    file: lines('Ort;CHF', ["Bern;1'234.50", 'Chur;12.25']),
    columns: ['Ort text: Bern | Chur', 'CHF number: 1234.5 | 12.25'],
    warned: [/"CHF" is read as numbers: "1'234\.50" as 1234\.5/],
  },
  {
    what: 'Excel, American: hours with AM and PM',
    file: lines('at,v', ['01/12/2026 3:30 PM,1', '01/13/2026 12:05 AM,2']),
    columns: ['at time: 2026-01-12T15:30:00 | 2026-01-13T00:05:00', 'v number: 1 | 2'],
  },
  {
    what: 'Excel: accounting, with brackets, dollars and a dash for nothing',
    file: lines('account,net', ['a," $1,234.50 "', 'b, $(99.00)', 'c, $ -   ']),
    columns: ['account text: a | b | c', 'net number: 1234.5 | -99 | NaN'],
    warned: [/"net" is read as numbers: "\$1,234\.50" as 1234\.5/],
  },
  {
    what: 'Excel: brackets for what is negative',
    file: lines('q,net', ['a,"1,234.50"', 'b,(99.00)']),
    columns: ['q text: a | b', 'net number: 1234.5 | -99'],
    warned: [/"net" is read as numbers: "\(99\.00\)" as -99/],
  },
  {
    what: 'percentages',
    file: lines('q;share', ['a;12,5 %', 'b;7 %']),
    columns: ['q text: a | b', 'share number: 12.5 | 7'],
    warned: [/"share" is read as numbers: "12,5 %" as 12\.5/],
  },
  {
    what: 'Excel: days as its own numbers, in a column that says so',
    file: lines('Date,v', ['46023,1', '46024,2', '46025.5,3']),
    columns: ['Date time: 2026-01-01 | 2026-01-02 | 2026-01-03T12:00:00', 'v number: 1 | 2 | 3'],
    warned: [/"Date" is read as times: "46023" is Excel’s number of 2026-01-01/],
  },
  {
    what: 'a title and a blank row above the header',
    file: lines('Report for January', ['', 'day,amount', '2026-01-01,0', '2026-01-02,7', '2026-01-03,7']),
    columns: ['day time: 2026-01-01 | 2026-01-02 | 2026-01-03', 'amount number: 0 | 7 | 7'],
    warned: [/One row above the header is left out: "Report for January"/],
  },
  {
    what: 'a title above the header of a table with semicolons, padded by them',
    file: lines('Umsatz, nach Region;;', [
      'Stand: 31.01.2026;;',
      ';;',
      'Tag;Ort;Wert',
      '01.01.2026;Ulm;1,5',
      '02.01.2026;Ulm;2,5',
    ]),
    columns: ['Tag time: 2026-01-01 | 2026-01-02', 'Ort category: Ulm | Ulm', 'Wert number: 1.5 | 2.5'],
    warned: [/2 rows above the header are left out: "Umsatz, nach Region", "Stand: 31\.01\.2026"/],
  },
  {
    what: 'a title above a single column',
    file: lines('Report', ['', 'amount', '1', '2', '4']),
    columns: ['amount number: 1 | 2 | 4'],
    warned: [/One row above the header is left out: "Report"/],
  },
  {
    what: 'a header of two rows',
    file: lines(',2025,,2026,', ['region,Q1,Q2,Q1,Q2', 'north,1,2,3,4', 'south,5,6,7,8']),
    columns: [
      'region text: north | south',
      '2025 Q1 number: 1 | 5',
      '2025 Q2 number: 2 | 6',
      '2026 Q1 number: 3 | 7',
      '2026 Q2 number: 4 | 8',
    ],
    warned: [/The header has two rows: "2025 Q1"/],
  },
  {
    what: 'no header',
    file: lines('2026-01-01,north,5', ['2026-01-02,south,6', '2026-01-03,north,7']),
    columns: [
      'column 1 time: 2026-01-01 | 2026-01-02 | 2026-01-03',
      'column 2 text: north | south | north',
      'column 3 number: 5 | 6 | 7',
    ],
    warned: [/There is no header: the first row, with "2026-01-01", is one of values/],
  },
  {
    what: 'years as names of columns',
    file: lines('region,2024,2025,2026', ['north,1,2,3', 'south,4,5,6']),
    columns: ['region text: north | south', '2024 number: 1 | 4', '2025 number: 2 | 5', '2026 number: 3 | 6'],
  },
  {
    what: 'the row of the header is said',
    input: { csv: 'x,y\na,b\n1,2\n3,4\n', header_row: 2 },
    columns: ['a number: 1 | 3', 'b number: 2 | 4'],
  },
  {
    what: 'Excel: errors in cells',
    file: lines('a,b', ['x,#DIV/0!', ...Array.from({ length: 23 }, (_, i) => `y,${i}`)]),
    columns: ['a category: x | y | y | y', 'b number: NaN | 0 | 1 | 2'],
    warned: [/One cell of "b" is not a number and counted as missing, for example "#DIV\/0!" in row 1/],
  },
  {
    what: 'Excel: post codes that are numbers and shown with zeros in front',
    name: 'a.xlsx',
    file: packed(
      workbook({
        A: rowsXml([
          ['zip', 'place', 'v'],
          [[1067, 's="7"'], 'Dresden', 1],
          [[20095, 's="7"'], 'Hamburg', 2],
        ]),
      }),
    ),
    columns: ['zip text: 01067 | 20095', 'place text: Dresden | Hamburg', 'v number: 1 | 2'],
  },
]
