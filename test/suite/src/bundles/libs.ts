import { importTests } from '../bundles.ts'

importTests('libs')
