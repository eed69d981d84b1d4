/** Prints what a locked process is offered. */
import { writeSync } from 'node:fs'
import { lockDown, lockLoaded } from './lockdown.ts'
import { offers } from './offers.ts'

lockDown()
lockLoaded()
writeSync(1, `${offers().join('\n')}\n`)
