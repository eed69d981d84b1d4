import { ConfigurationError } from '@millhand/process'

/** Listens; an address that can't be had is told by the name of its setting. */
export async function explainListenFault<T>(setting: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new ConfigurationError([`${setting}: ${message}. Another program listens there; set another address.`])
    }
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
      throw new ConfigurationError([`${setting}: ${message}.`])
    }
    throw error
  }
}
