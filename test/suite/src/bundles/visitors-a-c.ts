import { importVisitors } from '../visitors.ts'

await importVisitors('visitors-a-c')
