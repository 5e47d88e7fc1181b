import { AccessKeySecretStore } from './access-key-secret-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const accessKeyStores = { accessKeySecrets: AccessKeySecretStore }
