import { startTcp } from './connect.ts'
import { sessionContract } from './session-contract.ts'

sessionContract('gRPC over TCP', startTcp)
