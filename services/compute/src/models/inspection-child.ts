/** The process in which an uploaded file is looked into. It reads what is hostile, holds no secret, and can be killed. */
import { readFileSync } from 'node:fs'
import { lockDown, lockLoaded, openChannel, startWatchdog } from '@millhand/child-process/child'
import { excerpt, inspectOnnx, OnnxInvalid } from '@millhand/model'
import type { InspectionMessage, InspectionRequest } from './inspection-protocol.ts'

startWatchdog()

const say = openChannel<InspectionRequest, InspectionMessage>(({ path }) => say(inspected(path)))
lockDown()
lockLoaded()

function inspected(path: string): InspectionMessage {
  try {
    return { kind: 'inspected', inspection: inspectOnnx(readFileSync(path)) }
  } catch (error) {
    if (error instanceof OnnxInvalid) return { kind: 'refused', message: excerpt(error.message, 1_000) }
    throw error
  }
}
