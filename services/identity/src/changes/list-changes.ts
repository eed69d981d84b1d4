import type {
  ListChangesRequest,
  ListChangesResponse,
} from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Changes } from './changes.ts'

export interface ChangesOf {
  readonly keys: Changes
  readonly accounts: Changes
}

/** Says which keys and accounts have changed since a revision: all whose change was answered before. */
export const listChanges =
  ({ keys, accounts }: ChangesOf) =>
  async ({ after }: ListChangesRequest): Promise<ListChangesResponse> => {
    const [key, account] = await Promise.all([keys.after(after?.keys), accounts.after(after?.accounts)])
    return {
      $typeName: 'millhand.identity.v1.ListChangesResponse',
      revision: { $typeName: 'millhand.identity.v1.Revision', keys: key.last, accounts: account.last },
      keyIds: [...key.ids],
      accountIds: [...account.ids],
      everything: key.everything || account.everything,
    }
  }
