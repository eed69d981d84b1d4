/** As pandas writes them: headers of several rows, and JSON. */
import { packed, rowsXml, workbook } from '../xlsx.fixture.ts'
import type { Case } from './case.fixture.ts'

export const pandas: readonly Case[] = [
  {
    what: 'pandas: to_json writes times as milliseconds',
    name: 'a.json',
    file: '[{"seen":1767225600000,"v":1.5},{"seen":null,"v":2},{"seen":1767312000000,"v":3}]',
    columns: ['seen number: 1767225600000 | NaN | 1767312000000', 'v number: 1.5 | 2 | 3'],
    warned: [/"seen" is read as numbers, for example 1767225600000 in row 1\. Call the column "timestamp" if .* 2026-01-01/],
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
