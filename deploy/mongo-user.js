// MongoDB runs this at its first start: the services' user may use their database, and no other.
db.getSiblingDB('millhand').createUser({
  user: 'millhand',
  pwd: process.env.MILLHAND_PASSWORD,
  roles: [{ role: 'readWrite', db: 'millhand' }],
})
