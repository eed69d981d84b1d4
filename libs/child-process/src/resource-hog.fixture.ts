/** A process that no watchdog of its own holds back: it uses what it is told to, and says nothing. */
import { openChannel } from './child.ts'

const kept: Buffer[] = []

openChannel<{ readonly use: 'memory' | 'much memory' | 'processor' }, object>(({ use }) => {
  if (use === 'processor') for (;;);
  // More at once than the system refuses to a process that has a limit of data.
  if (use === 'much memory') kept.push(Buffer.alloc(1_200 * 2 ** 20, 1))
  // Less at once than the system refuses.
  kept.push(Buffer.alloc(300 * 2 ** 20, 1))
})
