/** Signs, units, names in digits, lines of sums and lists: what is easily added up though it must not be. */
import { type Case, lines } from './case.fixture.ts'

export const amounts: readonly Case[] = [
  {
    what: 'dashes of word processors as minus',
    file: lines('k,v', ['a,\u20135', 'b,3', 'c,\uFF0D7.5']),
    columns: ['k text: a | b | c', 'v number: -5 | 3 | -7.5'],
    warned: [/"\u20135" as -5/],
  },
  {
    what: 'Swiss francs without centimes',
    file: lines('k;v', ["a;1'250.-", 'b;12.\u2013', 'c;7.50']),
    columns: ['k text: a | b | c', 'v number: 1250 | 12 | 7.5'],
    warned: [/"1'250\.-" as 1250/],
  },
  {
    what: 'a bank: Cr and Dr behind Indian rupees',
    file: lines('k,v', ['a,"₹ 1,23,456.00 Cr"', 'b,₹ 12.00 Dr']),
    columns: ['k text: a | b', 'v number: 123456 | -12'],
    warned: [/Cr" as 123456/],
  },
  {
    what: 'a bank: S and H in a column of their own',
    file: lines('Betrag;S/H', ['12,50;S', '20,00;H', '30,00;H']),
    columns: ['Betrag number: 12.5 | 20 | 30', 'S/H text: S | H | H'],
    warned: [/"S\/H" has "S" and "H"\. If they tell debits from credits/],
  },
  {
    what: 'a bank: Af and Bij in a column of their own',
    file: lines('"Af Bij","Bedrag"', ['"Af","12,50"', '"Bij","3,00"']),
    columns: ['Af Bij text: Af | Bij', 'Bedrag number: 12.5 | 3'],
    warned: [/If they tell debits from credits/],
  },
  {
    what: 'numbers with units',
    file: lines('k;v', ['a;12 kg', 'b;0,5 kg', 'c;30 kg']),
    columns: ['k text: a | b | c', 'v text: 12 kg | 0,5 kg | 30 kg'],
    warned: [/"v" is taken for a text, as "12 kg" in row 1 is no number without its unit/],
  },
  {
    what: 'MT940: C and D in front',
    file: lines('k;v', ['a;D12,50', 'b;C20,00']),
    columns: ['k text: a | b', 'v text: D12,50 | C20,00'],
    warned: [/"D12,50" in row 1/],
  },
  {
    what: 'decimals with points and with commas',
    file: lines('x,y', ['"1,234.5",1', '"1.234,5",2']),
    columns: ['x text: 1,234.5 | 1.234,5', 'y number: 1 | 2'],
    warned: [/"1\.234,5" in row 2 and "1,234\.5" in row 1 are written in two ways/],
  },
  {
    what: 'nothing, as Germans, databases and pandas write it',
    file: lines('v;w', ['k.A.;1', '5;(null)', 'n. v.;2', '7;<NA>']),
    columns: ['v number: NaN | 5 | NaN | 7', 'w number: 1 | NaN | 2 | NaN'],
  },
  {
    what: 'whole numbers beyond 2^53 in groups',
    file: lines('v,w', ['"9,007,199,254,740,993",1', '"9,007,199,254,740,995",2']),
    columns: ['v text: 9,007,199,254,740,993 | 9,007,199,254,740,995', 'w number: 1 | 2'],
  },
  {
    what: 'decimals with zeros in front',
    file: lines('v,w', ['00.5,1', '01.5,2']),
    columns: ['v text: 00.5 | 01.5', 'w number: 1 | 2'],
    warned: [/"00\.5" in row 1 is no number, with a zero in front/],
  },
  {
    what: 'pandas: ids among which one is missing',
    file: lines('customer_id,v', ['1001.0,1', ',2', '1003.0,3'], '\n'),
    columns: ['customer_id text: 1001.0 | NaN | 1003.0', 'v number: 1 | 2 | 3'],
    warned: [/"customer_id" names things by numbers/],
  },
  {
    what: 'R: ids among which one is NA',
    file: lines('"id_client","v"', ['1001,1', 'NA,2', '1003,3'], '\n'),
    columns: ['id_client text: 1001 | NaN | 1003', 'v number: 1 | 2 | 3'],
    warned: [/"id_client" names things by numbers/],
  },
  {
    what: 'codes that look like powers of ten, and one that a spreadsheet cut',
    file: lines('sku,gtin', ['1E5,4.00638E+12', '2E3,4.00639E+12']),
    columns: ['sku text: 1E5 | 2E3', 'gtin text: 4.00638E+12 | 4.00639E+12'],
    warned: [/"sku" names things/, /"gtin" names things/],
  },
  {
    what: 'a formula that keeps zeros in front',
    file: lines('plz,v', ['="01067",1', '="10115",2']),
    columns: ['plz text: 01067 | 10115', 'v number: 1 | 2'],
  },
  {
    what: 'sums between the rows and at the end',
    file: lines('Ort;v', ['Ulm;1', 'Bonn;2', 'Zwischensumme;3', 'Kiel;4', 'Gesamt;7']),
    columns: ['Ort text: Ulm | Bonn | Zwischensumme | Kiel', 'v number: 1 | 2 | 3 | 4'],
    warned: [/Rows 3 and 5 say "Zwischensumme" or the like and are read like the others/],
  },
  {
    what: 'a sum with a note below it',
    file: lines('Ort;v', ['Ulm;1', 'Bonn;2', 'Summe;3', ';', 'Quelle: Amt;']),
    columns: ['Ort text: Ulm | Bonn | Summe | Quelle: Amt', 'v number: 1 | 2 | 3 | NaN'],
    warned: [/Row 3 says "Summe" and is read like the others/],
  },
  {
    what: 'a sum without a name',
    file: lines('Datum;v', ['01.01.2026;1,5', '02.01.2026;2,5', ';4,0']),
    columns: ['Datum time: 2026-01-01 | 2026-01-02 | NaN', 'v number: 1.5 | 2.5 | 4'],
    warned: [/Row 3, the last, has no "Datum" and is read like the others/],
  },
  {
    what: 'SAP: a list with lines of dashes and a header on each page',
    file: lines('Buchungskreis 1000            Seite 1', [
      '----------------------------------',
      '|Beleg    |Datum     |     Betrag|',
      '|---------+----------+-----------|',
      '|100001   |13.01.2026|  1.234,50-|',
      '|100002   |14.01.2026|     12,00 |',
      '----------------------------------',
      '|Beleg    |Datum     |     Betrag|',
      '|---------+----------+-----------|',
      '|100003   |15.01.2026|      3,00 |',
      '----------------------------------',
    ]),
    columns: [
      'Beleg text: 100001 | 100002 | 100003',
      'Datum time: 2026-01-13 | 2026-01-14 | 2026-01-15',
      'Betrag number: -1234.5 | 12 | 3',
    ],
    warned: [/One row above/, /The header comes again in one row, which is left out/, /"Beleg" names/, /as -1234\.5/],
  },
  {
    what: 'Markdown',
    file: lines('| day | v |', ['|---|---:|', '| 2026-01-01 | 1 |', '| 2026-01-02 | 2 |'], '\n'),
    columns: ['day time: 2026-01-01 | 2026-01-02', 'v number: 1 | 2'],
  },
  {
    what: 'estimates, bounds and footnotes among numbers',
    file: lines('v;w;x', ['~12;<5;12*', '34;>10;34', '<5;7;1)']),
    columns: ['v text: ~12 | 34 | <5', 'w text: <5 | >10 | 7', 'x text: 12* | 34 | 1)'],
    warned: [/as "~12" in row 1 is no number/, /as "<5" in row 1 is no number/, /as "12\*" in row 1 is no number/],
  },
  {
    what: 'a second table below the first',
    file: lines('a,b', ['1,2', '3,4', '', 'c,d', 'x,y', 'z,w']),
    columns: ['a text: 1 | 3 | c | x', 'b text: 2 | 4 | d | y'],
    warned: [/"a" is taken for a text, as "c" in row 3 is no number/, /"b" is taken for a text, as "d" in row 3/],
  },
  {
    what: 'digits that are not from 0 to 9',
    file: lines('k,v', ['a,１２', 'b,٣٤']),
    columns: ['k text: a | b', 'v text: １２ | ٣٤'],
    warned: [/"v" is taken for a text, as "１２" in row 1 is no number/],
  },
  {
    what: 'quarters, flats, models, levels and texts that are no measures',
    file: lines('quarter,flat,model,level,note', [
      'Q1,12 A,A4,Average,"2 kg in May 2024"',
      'Q2,3 B,B12,High,12 items',
      'Q3,7 A,C3,Low,none',
    ]),
    columns: [
      'quarter text: Q1 | Q2 | Q3',
      'flat text: 12 A | 3 B | 7 A',
      'model text: A4 | B12 | C3',
      'level text: Average | High | Low',
      'note text: 2 kg in May 2024 | 12 items | none',
    ],
  },
]
