import { codeOf } from '@millhand/api'
import { onBehalfOf } from './on-behalf-of.ts'
import { tenantPrincipal } from './tenant-principal.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

/** Removes a file of an account, if it is there. Fails where that can't be done now. */
export async function removeFile(
  files: Pick<WorkforceDeps['files'], 'deleteFile'>,
  whose: { readonly tenant: string },
  id: string,
): Promise<void> {
  try {
    await files.deleteFile({ id }, onBehalfOf(tenantPrincipal(whose)))
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error
  }
}
