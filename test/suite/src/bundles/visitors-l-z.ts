import { importVisitors } from '../visitors.ts'

await importVisitors('visitors-l-z')
