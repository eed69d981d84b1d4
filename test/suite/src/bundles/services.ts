import { importTests } from '../bundles.ts'

importTests('services')
