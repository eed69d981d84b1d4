/** A process that no watchdog of its own holds back: it uses what it is told to, and says nothing. */
import { openChannel } from './child.ts'

const kept: Buffer[] = []

openChannel<{ readonly use: 'memory' | 'processor' }, object>(({ use }) => {
  if (use === 'processor') for (;;);
  // Less at once than the system refuses.
  kept.push(Buffer.alloc(300 * 2 ** 20, 1))
})
