/** A process that says one thing. */
import { openChannel } from './child.ts'

openChannel<object, object>(() => {})({ kind: 'well' })
