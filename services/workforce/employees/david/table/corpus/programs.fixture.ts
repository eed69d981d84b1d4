/** As databases and other programs write them. */
import { type Case, lines } from './case.fixture.ts'

const days = (count: number) =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10))

export const programs: readonly Case[] = [
  {
    what: 'a comment above the header',
    file: lines('# made by x', ['day,amount', '2026-01-01,0', '2026-01-02,7'], '\n'),
    columns: ['day time: 2026-01-01 | 2026-01-02', 'amount number: 0 | 7'],
    warned: [/One row above the header is left out: "# made by x"/],
  },
  {
    what: 'a comment with a comma above the header',
    file: lines('# made by x, on 3 May', ['day,amount', '2026-01-01,0', '2026-01-02,7'], '\n'),
    columns: ['day time: 2026-01-01 | 2026-01-02', 'amount number: 0 | 7'],
    warned: [/One row above the header is left out: "# made by x {1,2}on 3 May"/],
  },
  {
    what: 'a header that begins with a hash',
    file: lines('#,name', ['1,a', '2,b', '3,c'], '\n'),
    columns: ['# number: 1 | 2 | 3', 'name text: a | b | c'],
  },
  {
    what: 'NA that is Namibia',
    file: lines('country,v', ['DE,1', 'NA,2', 'FR,3', 'DE,4'], '\n'),
    columns: ['country text: DE | NA | FR | DE', 'v number: 1 | 2 | 3 | 4'],
    warned: [/"NA" in "country", first in row 2, is kept as a value, as the others are codes of countries/],
  },
  {
    what: 'NA that is nothing',
    file: lines('grade,v', ['good,1', 'NA,2', 'bad,3', 'good,4'], '\n'),
    columns: ['grade category: good | NaN | bad | good', 'v number: 1 | 2 | 3 | 4'],
    warned: [/"NA" in "grade", first in row 2, counts as missing/],
  },
  {
    what: 'a person who is called Null',
    file: lines('name,v', ['Meyer,1', 'Null,2', 'Schulz,3'], '\n'),
    columns: ['name text: Meyer | Null | Schulz', 'v number: 1 | 2 | 3'],
    warned: [/"Null" in "name", first in row 2, is kept as a value/],
  },
  {
    what: 'one day that there is not',
    file: lines(
      'day,v',
      days(24).map((day, i) => `${i === 8 ? '0000-00-00' : day},${i % 5}`),
      '\n',
    ),
    columns: ['day time: 2026-01-01 | 2026-01-02 | 2026-01-03 | 2026-01-04', 'v number: 0 | 1 | 2 | 3'],
    warned: [/One cell of "day" is not a time and counted as missing, for example "0000-00-00" in row 9/],
  },
  {
    what: 'the 29th of February of a year that has none',
    file: lines(
      'day,v',
      days(24).map((day, i) => `${i === 1 ? '2023-02-29' : day},${i % 5}`),
      '\n',
    ),
    columns: ['day time: 2026-01-01 | NaN | 2026-01-03 | 2026-01-04', 'v number: 0 | 1 | 2 | 3'],
    warned: [/"2023-02-29" in row 2/],
  },
  {
    what: 'one American day among European ones',
    file: lines(
      'day,v',
      ['13/01/2026,1', ...Array.from({ length: 10 }, (_, i) => `${14 + i}/01/2026,${i % 3}`), '01/25/2026,2'],
      '\n',
    ),
    columns: ['day time: 2026-01-13 | 2026-01-14 | 2026-01-15 | 2026-01-16', 'v number: 1 | 0 | 1 | 2'],
    warned: [/One cell of "day" is not a time .* "01\/25\/2026" in row 12/],
  },
  {
    what: 'days without signs between',
    file: lines('when,v', ['20260112,1', '20260113,2', '20260114,4'], '\n'),
    columns: ['when time: 2026-01-12 | 2026-01-13 | 2026-01-14', 'v number: 1 | 2 | 4'],
    warned: [/"when" is read as times: "20260112" is the day 2026-01-12/],
  },
  {
    what: 'months without signs between',
    file: lines('month,v', ['202601,1', '202602,2', '202603,4'], '\n'),
    columns: ['month time: 2026-01-01 | 2026-02-01 | 2026-03-01', 'v number: 1 | 2 | 4'],
    warned: [/"202601" is the month of 2026-01-01/],
  },
  {
    what: 'years',
    file: lines('year,v', ['2024,1', '2025,2', '2026,4'], '\n'),
    columns: ['year time: 2024-01-01 | 2025-01-01 | 2026-01-01', 'v number: 1 | 2 | 4'],
    warned: [/"2024" is the year of 2024-01-01/],
  },
  {
    what: 'seconds of Unix in a column that says so',
    file: lines('created_at,v', ['1767225600,1', '1767312000,2'], '\n'),
    columns: ['created_at time: 2026-01-01 | 2026-01-02', 'v number: 1 | 2'],
    warned: [/"1767225600" is a Unix time of 2026-01-01/],
  },
  {
    what: 'a database: null, \\N and times with fractions of a second',
    file: lines('at,v', ['2026-01-12 15:30:00.250,1', '\\N,2', '2026-01-12 15:30:01,NULL'], '\n'),
    columns: ['at time: 2026-01-12T15:30:00.250Z | NaN | 2026-01-12T15:30:01', 'v number: 1 | 2 | NaN'],
  },
  {
    what: 'BigQuery: times with UTC behind',
    file: lines('at,v', ['2026-01-12 15:30:00 UTC,1', '2026-01-12 16:30:00 UTC,2'], '\n'),
    columns: ['at time: 2026-01-12T15:30:00 | 2026-01-12T16:30:00', 'v number: 1 | 2'],
  },
  {
    what: 'mail: times as RFC 2822 has them',
    file: lines('at,v', ['"Mon, 12 Jan 2026 15:30:00 +0100",1', '"Tue, 13 Jan 2026 15:30:00 +0100",2'], '\n'),
    columns: ['at time: 2026-01-12T14:30:00 | 2026-01-13T14:30:00', 'v number: 1 | 2'],
  },
  {
    what: 'numbers with decimals of three digits and zeros in front of the sign',
    file: lines('a;b', ['0,125;x', '0,250;y'], '\n'),
    columns: ['a number: 0.125 | 0.25', 'b text: x | y'],
  },
  {
    what: 'measurements with three decimals',
    file: lines('a,b', ['1.125,x', '2.250,y'], '\n'),
    columns: ['a number: 1.125 | 2.25', 'b text: x | y'],
    warned: [/"a" is read with a decimal point: "1\.125" as 1\.125/],
  },
  {
    what: 'scientific notation with decimal commas',
    file: lines('a;b', ['1,5E+03;x', '2,25E-01;y'], '\n'),
    columns: ['a number: 1500 | 0.225', 'b text: x | y'],
  },
  {
    what: 'Indian numbers',
    file: lines('city,rupees', ['Pune,"12,34,567.50"', 'Agra,"1,00,000"'], '\n'),
    columns: ['city text: Pune | Agra', 'rupees number: 1234567.5 | 100000'],
  },
  {
    what: 'JSON: whole numbers beyond 2^53',
    file: '[{"id":9007199254740993,"v":1.5},{"id":9007199254740995,"v":2.5}]',
    name: 'a.json',
    columns: ['id text: 9007199254740993 | 9007199254740995', 'v number: 1.5 | 2.5'],
  },
  {
    what: 'rows: whole numbers beyond 2^53 that were rounded before',
    input: {
      rows: [
        { big: 2 ** 53 + 2, v: 1 },
        { big: 2 ** 53 + 4, v: 2 },
      ],
    },
    columns: ['big number: 9007199254740994 | 9007199254740996', 'v number: 1 | 2'],
    warned: [/"big" has whole numbers beyond 2\^53, first in row 1/],
  },
  {
    what: 'ids and post codes without zeros in front',
    file: lines('customer_id,plz,orderId,paid', ['1001,10115,7,1', '1003,80331,7,2', '1002,50667,8,2'], '\n'),
    columns: [
      'customer_id text: 1001 | 1003 | 1002',
      'plz text: 10115 | 80331 | 50667',
      'orderId text: 7 | 7 | 8',
      'paid number: 1 | 2 | 2',
    ],
    warned: [/"customer_id" names things/, /"plz" names things/, /"orderId" names things/],
  },
  {
    what: 'a year and a quarter',
    file: lines('year,quarter,v', ['2025,3,1', '2025,4,2', '2026,1,4'], '\n'),
    columns: [
      'year quarter time: 2025-07-01 | 2025-10-01 | 2026-01-01',
      'quarter text: 3 | 4 | 1',
      'v number: 1 | 2 | 4',
    ],
    warned: [/"year" and "quarter" are read together as times: the first row is 2025-Q3/],
  },
  {
    what: 'a year and the name of a month',
    file: lines('Jahr;Monat;v', ['2025;November;1', '2025;Dezember;2', '2026;Januar;4']),
    columns: [
      'Jahr Monat time: 2025-11-01 | 2025-12-01 | 2026-01-01',
      'Monat text: November | Dezember | Januar',
      'v number: 1 | 2 | 4',
    ],
    warned: [/"Jahr" and "Monat" are read together as times/],
  },
  {
    what: 'a sum in the last row',
    file: lines('region,v', ['north,1', 'south,2', 'Total,3'], '\n'),
    columns: ['region text: north | south | Total', 'v number: 1 | 2 | 3'],
    warned: [/Row 3, the last, says "Total" and is read like the others/],
  },
  {
    what: 'months as names of columns',
    file: lines('region,2026-01,2026-02', ['north,1,2', 'south,3,4'], '\n'),
    columns: ['region text: north | south', '2026-01 number: 1 | 3', '2026-02 number: 2 | 4'],
  },
  {
    what: 'quarters as names of columns',
    file: lines('region,Q1 2025,Q2 2025', ['north,1,2', 'south,3,4'], '\n'),
    columns: ['region text: north | south', 'Q1 2025 number: 1 | 3', 'Q2 2025 number: 2 | 4'],
  },
  {
    what: 'a title that has as many commas as the table',
    file: lines('Sales, Q1 2026, internal', ['day,amount,x', '2026-01-01,5,a', '2026-01-02,6,b'], '\n'),
    columns: ['day time: 2026-01-01 | 2026-01-02', 'amount number: 5 | 6', 'x text: a | b'],
    warned: [/One row above the header is left out: "Sales/],
  },
  {
    what: 'versions, of which 1.10 is not 1.1',
    file: lines('version,n', ['1.9,1', '1.10,2'], '\n'),
    columns: ['version text: 1.9 | 1.10', 'n number: 1 | 2'],
    warned: [/"version" is read as text/],
  },
  {
    what: 'a row of units below the header',
    file: lines('day,amount', [',EUR', '2026-01-01,5', '2026-01-02,6'], '\n'),
    columns: ['day time: NaN | 2026-01-01 | 2026-01-02', 'amount text: EUR | 5 | 6'],
    warned: [/"amount" is taken for a text, as "EUR" in row 1 is no number/],
  },
  {
    what: 'weeks in a form that nobody else knows',
    file: lines('Woche;v', ['KW 1/2026;1', 'KW 2/2026;2'], '\n'),
    columns: ['Woche text: KW 1/2026 | KW 2/2026', 'v number: 1 | 2'],
    warned: [/"Woche" is taken for a text, as "KW 1\/2026" in row 1 is no time that is known/],
  },
  {
    what: 'Spark and MySQL: quotes behind a backslash, also before a comma',
    file: lines('k,v', ['a,1', '"say \\"hi\\", or ""no""",2', '"C:\\\\dir\\\\",3', '"a \\"b\\"",4'], '\n'),
    columns: ['k text: a | say "hi", or "no" | C:\\dir\\ | a "b"', 'v number: 1 | 2 | 3 | 4'],
    warned: [/Quotes in cells are written as \\", first in row 2: \\" is read as a quote/],
  },
  {
    what: 'paths and JSON with a backslash before a quote that is none of theirs',
    file: lines('k,v', ['"C:\\dir\\",1', '"{""a"":""\\""x\\""""}",2'], '\n'),
    columns: ['k text: C:\\dir\\ | {"a":"\\"x\\""}', 'v number: 1 | 2'],
  },
  {
    what: 'SAP and MySQL: no day in most rows',
    file: lines('Ausgleich;AUGDT;paid', [
      '00.00.0000;00000000;0000-00-00 00:00:00',
      '17.01.2026;20260117;2026-01-17 08:30:00',
      '00.00.0000;00000000;0000-00-00 00:00:00',
      '18.01.2026;20260118;2026-01-18 08:30:00',
      '19.01.2026;20260119;2026-01-19 08:30:00',
    ]),
    columns: [
      'Ausgleich time: NaN | 2026-01-17 | NaN | 2026-01-18',
      'AUGDT time: NaN | 2026-01-17 | NaN | 2026-01-18',
      'paid time: NaN | 2026-01-17T08:30:00 | NaN | 2026-01-18T08:30:00',
    ],
    warned: [
      /2 cells of "Ausgleich" are not a time and counted as missing, for example "00\.00\.0000" in row 1/,
      /"AUGDT" is read as times: "20260117" is the day 2026-01-17/,
      /2 cells of "AUGDT" are not a time/,
      /2 cells of "paid" are not a time/,
    ],
  },
  {
    what: 'Thailand: years of the Buddhist calendar; Japan: of an emperor',
    file: lines('d,e', ['15/01/2569,令和8年1月15日', '16/01/2569,令和8年1月16日']),
    columns: ['d time: 2569-01-15 | 2569-01-16', 'e text: 令和8年1月15日 | 令和8年1月16日'],
    warned: [/"d" has only years after 2400, as "15\/01\/2569" in row 1\. Subtract 543/, /"e" is taken for a text/],
  },
  {
    what: 'Thailand: years of the Buddhist calendar alone',
    file: lines('year,v', ['2567,1', '2568,2']),
    columns: ['year number: 2567 | 2568', 'v number: 1 | 2'],
    warned: [/"year" is read as numbers, as 2567 in row 1 is no year up to 2200\. Subtract 543/],
  },
  {
    what: 'SAP: nothing ends, which is no year of the Buddhist calendar',
    file: lines('valid_to,v', ['31.12.9999,1', '31.12.9999,2']),
    columns: ['valid_to time: 9999-12-31 | 9999-12-31', 'v number: 1 | 2'],
  },
  {
    what: 'inches behind a backslash in a cell without quotes, and paths that end in a backslash',
    file: lines('item,path,v', ['Pipe 5\\" wide,"C:\\a\\",1', 'Board,"D:\\b\\",2'], '\n'),
    columns: ['item text: Pipe 5\\" wide | Board', 'path text: C:\\a\\ | D:\\b\\', 'v number: 1 | 2'],
  },
  {
    what: 'paths that end in a backslash, with a space behind the quote',
    file: lines('k,v', ['"C:\\dir\\" ,1', '"C:\\a\\" ,2']),
    columns: ['k text: C:\\dir\\  | C:\\a\\ ', 'v number: 1 | 2'],
  },
]
