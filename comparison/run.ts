import { comparePeers } from './compare.ts'

const words = process.argv.slice(2)
await comparePeers(
  words.filter((word) => !word.startsWith('--')),
  words.includes('--quick'),
)
