import { describeFiles } from './files.contract.ts'
import { describeQuota } from './quota.contract.ts'
import { openSqliteFiles as open } from './sqlite-files.fixture.ts'
import { describeSteps } from './steps.contract.ts'
import { describeUploads } from './upload.contract.ts'

describeUploads('SQLite and the filesystem', open)
describeQuota('SQLite and the filesystem', open)
describeFiles('SQLite and the filesystem', open)
describeSteps('SQLite and the filesystem', open)
