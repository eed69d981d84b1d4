import { importVisitors } from '../visitors.ts'

await importVisitors('visitors-d-k')
