/** Sarah draws pictures: how long the example takes. */
import { exampleTime } from '../brief-time.ts'
import type { Figure } from '../figure.ts'

export const figures = async (): Promise<Figure[]> => [await exampleTime('sarah', 'create_image', 2000)]
