import { importTests } from '../bundles.ts'

importTests('others')
