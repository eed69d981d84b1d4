import { importTests } from '../bundles.ts'

importTests('employees-alex-david')
