/** Where all that identity tells of goes. */
export const identityTopic = 'millhand.identity.v1'
