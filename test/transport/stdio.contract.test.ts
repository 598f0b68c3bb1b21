import { startStdio } from './connect.ts'
import { sessionContract } from './session-contract.ts'

sessionContract('stdio', startStdio)
