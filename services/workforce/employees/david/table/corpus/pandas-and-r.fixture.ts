/** As pandas and R write them. */
import { packed, rowsXml, workbook } from '../xlsx.fixture.ts'
import { type Case, lines } from './case.fixture.ts'

export const pandasAndR: readonly Case[] = [
  {
    what: 'pandas: a series without a name',
    file: lines(',0', ['2026-01-01,1.5', '2026-01-02,2.5'], '\n'),
    columns: ['column 1 time: 2026-01-01 | 2026-01-02', '0 number: 1.5 | 2.5'],
  },
  {
    what: 'pandas: a frame without names',
    file: lines(',0,1', ['0,1.5,a', '1,2.5,b', '2,2.5,c'], '\n'),
    columns: ['column 1 number: 0 | 1 | 2', '0 number: 1.5 | 2.5 | 2.5', '1 text: a | b | c'],
  },
  {
    what: 'pandas: times with zones, and values that are missing',
    file: lines(
      ',at,v',
      ['0,2026-01-12 15:30:00+00:00,1.0', '1,2026-01-12 16:30:00+00:00,', '2,2026-01-12 17:30:00+00:00,3.0'],
      '\n',
    ),
    columns: [
      'column 1 number: 0 | 1 | 2',
      'at time: 2026-01-12T15:30:00 | 2026-01-12T16:30:00 | 2026-01-12T17:30:00',
      'v number: 1 | NaN | 3',
    ],
  },
  {
    what: 'R: write.csv with names of rows and NA',
    file: lines('"","day","v"', ['"1",2026-01-01,1.5', '"2",2026-01-02,NA', '"3",NA,2'], '\n'),
    columns: ['column 1 number: 1 | 2 | 3', 'day time: 2026-01-01 | 2026-01-02 | NaN', 'v number: 1.5 | NaN | 2'],
  },
  {
    what: 'R: write.table with spaces, and one name fewer than cells',
    file: lines('"speed" "dist"', ['"1" 4 2', '"2" 7 10', '"3" 8 16'], '\n'),
    columns: ['column 1 number: 1 | 2 | 3', 'speed number: 4 | 7 | 8', 'dist number: 2 | 10 | 16'],
    warned: [/one name fewer than the rows have cells/],
  },
  {
    what: 'R: write.table with tabs',
    file: lines('speed\tdist', ['Mazda\t4\t2', 'Fiat\t7\t10', 'Honda\t8\t16'], '\n'),
    columns: ['column 1 text: Mazda | Fiat | Honda', 'speed number: 4 | 7 | 8', 'dist number: 2 | 10 | 16'],
    warned: [/one name fewer than the rows have cells/],
  },
  {
    what: 'R: write.csv2',
    file: lines('"x";"y"', ['1,5;"a"', '2,25;"b"'], '\n'),
    columns: ['x number: 1.5 | 2.25', 'y text: a | b'],
  },
  {
    what: 'R: names of rows and one column',
    file: lines('"","a"', ['"x",1', '"y",2'], '\n'),
    columns: ['column 1 text: x | y', 'a number: 1 | 2'],
  },
  {
    what: 'R: a table without quotes',
    file: 'a b\n1 1 4\n2 2 5\n3 3 6\n',
    columns: ['a b text: 1 1 4 | 2 2 5 | 3 3 6'],
    warned: [/The table is read as one column, as in "1 1 4" in row 1 only spaces are between the values/],
  },
  {
    what: 'pandas: to_json writes times as milliseconds',
    name: 'a.json',
    file: '[{"seen":1767225600000,"v":1.5},{"seen":null,"v":2},{"seen":1767312000000,"v":3}]',
    columns: ['seen number: 1767225600000 | NaN | 1767312000000', 'v number: 1.5 | 2 | 3'],
    warned: [
      /"seen" is read as numbers, for example 1767225600000 in row 1\. Call the column "timestamp" if .* 2026-01-01/,
    ],
  },
  {
    what: 'pandas: names of columns in two rows, and names of the index below them',
    file: ',,sales,sales\n,,2025,2026\ng,n,,\nx,1,0.0,1.5\ny,2,6.0,7.5\n',
    columns: ['g text: x | y', 'n number: 1 | 2', 'sales 2025 number: 0 | 6', 'sales 2026 number: 1.5 | 7.5'],
    warned: [/The header has 3 rows: "sales 2026" is one of its names/],
  },
  {
    what: 'pandas: a pivot table, with the name of its columns',
    file: ',v,v\nc,a,b\nd,,\nx,0.0,1.0\ny,2.0,\n',
    columns: ['d text: x | y', 'v a number: 0 | 2', 'v b number: 1 | NaN'],
    warned: [/The header has 3 rows: "v b" is one of its names/],
  },
  {
    what: 'pandas: sums and means of groups, the index as a column',
    file: 'd,v,v,w\n,sum,mean,max\nx,1,0.5,1\ny,5,2.5,3\n',
    columns: ['d text: x | y', 'v sum number: 1 | 5', 'v mean number: 0.5 | 2.5', 'w max number: 1 | 3'],
    warned: [/The header has 2 rows: "w max" is one of its names/],
  },
  {
    what: 'pandas: years below names, without an index',
    file: 'sales,sales,cost,cost\n2025,2026,2025,2026\n0.0,1.5,3.0,4.5\n6.0,7.5,9.0,10.5\n',
    columns: [
      'sales 2025 number: 0 | 6',
      'sales 2026 number: 1.5 | 7.5',
      'cost 2025 number: 3 | 9',
      'cost 2026 number: 4.5 | 10.5',
    ],
    warned: [/The header has 2 rows: "cost 2026" is one of its names/],
  },
  {
    what: 'columns of one name, above rows in which something is missing',
    file: 'k,v,v\n,1,2\nb,,\nc,3,4\n',
    columns: ['k text: NaN | b | c', 'v number: 1 | NaN | 3', 'v (2) number: 2 | NaN | 4'],
  },
  {
    what: 'pandas: to_excel merges the names of columns',
    name: 'a.xlsx',
    file: packed(
      workbook({
        A: rowsXml([
          [null, 'sales', null],
          [null, 2025, 2026],
          ['k', null, null],
          ['x', 1, 2],
          ['y', 3, 4],
        ]),
      }),
    ),
    columns: ['k text: x | y', 'sales 2025 number: 1 | 3', 'sales 2026 number: 2 | 4'],
    warned: [/The header has 3 rows: "sales 2026" is one of its names/],
  },
  {
    what: 'two columns of one name, with words below',
    file: 'name,name,v\nAnn,Lee,1\nBob,,2\n,,3\n',
    columns: ['name text: Ann | Bob | NaN', 'name (2) category: Lee | NaN | NaN', 'v number: 1 | 2 | 3'],
    warned: [/Row 3, the last, has no "name" and is read like the others/],
  },
]
