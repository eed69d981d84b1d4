import { importTests } from '../bundles.ts'

importTests('employees-others')
