/** Prints the functions that a locked process can reach. */
import { writeSync } from 'node:fs'
import { exposedFunctions } from './exposed-functions.ts'
import { lockDown, lockLoaded } from './lockdown.ts'

lockDown()
lockLoaded()
writeSync(1, `${exposedFunctions().join('\n')}\n`)
