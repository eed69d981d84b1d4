import type { Process } from '../process.ts'
import type { ServiceName } from '../services.ts'

/**
 * Loads the process of a service: the export of its name, of the file of its name. Only where it is needed, for the
 * libraries of the others take a third of a start.
 */
export const loadProcess = async (name: ServiceName): Promise<Process> => (await import(`./${name}.ts`))[name]
