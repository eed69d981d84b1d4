/** A route as traces and metrics name it, `/v1/tasks/{id}`, of how the router has it, `/v1/tasks/:id`. */
export const routeName = (pattern: string): string => pattern.replaceAll(/:(\w+)/g, '{$1}')
