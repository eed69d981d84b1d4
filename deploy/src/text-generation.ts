/** Whether a deployment generates text, and with what. */
import { missingPackage } from '@millhand/gguf/package'

/** What compute says where it does not: how the sentence goes on, with the setting. */
export function textGenerationOf(slots: number): { readonly fault: string | undefined } {
  if (slots === 0) return { fault: 'MILLHAND_TEXT_SLOTS is 0' }
  const missing = missingPackage()
  return { fault: missing && `MILLHAND_TEXT_SLOTS ${missing}` }
}
