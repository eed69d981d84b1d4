import { importTests } from '../bundles.ts'

await importTests('others')
