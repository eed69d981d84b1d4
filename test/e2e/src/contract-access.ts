/**
 * Which scope opens each route, and which plan limits it: the contract's sections 3 and 5, written down by hand. The
 * routes say so themselves in `proto/`; here it stands a second time, so that a slip there is seen.
 */
export const contractAccess: Readonly<Record<string, readonly [scope: string, family: 'compute' | 'developer']>> = {
  'POST /v1/tasks': ['tasks:write', 'compute'],
  'GET /v1/tasks': ['tasks:read', 'compute'],
  'GET /v1/tasks/{id}': ['tasks:read', 'compute'],
  'DELETE /v1/tasks/{id}': ['tasks:write', 'compute'],
  'DELETE /v1/tasks/{id}/data': ['tasks:write', 'compute'],
  'GET /v1/tasks/{id}/events': ['tasks:read', 'compute'],
  'POST /v1/tasks/{id}/stream_token': ['tasks:read', 'compute'],
  'GET /v1/models': ['models:read', 'compute'],
  'GET /v1/models/{id}': ['models:read', 'compute'],
  'POST /v1/files': ['files:write', 'compute'],
  'GET /v1/files': ['files:read', 'compute'],
  'GET /v1/files/{id}': ['files:read', 'compute'],
  'GET /v1/files/{id}/content': ['files:read', 'compute'],
  'DELETE /v1/files/{id}': ['files:write', 'compute'],
  'GET /v1/usage': ['usage:read', 'compute'],
  'POST /v1/api_keys': ['keys:write', 'developer'],
  'GET /v1/api_keys': ['keys:read', 'developer'],
  'GET /v1/api_keys/{id}': ['keys:read', 'developer'],
  'DELETE /v1/api_keys/{id}': ['keys:write', 'developer'],
  'POST /v1/api_keys/{id}/rotate': ['keys:write', 'developer'],
}
