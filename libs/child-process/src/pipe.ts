/** The descriptor of the pipe between a child and its parent. In the child it is open from the start. */
export const PIPE_FD = 3
