import { importTests } from '../bundles.ts'

await importTests('libs')
