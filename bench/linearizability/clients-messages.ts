/** What the process of the clients is started with. */
export type ClientsJob = {
  ports: number[]
  folder: string
  historyPath: string
  maxLanes: number
  parallelLanes: number
  service: { name: string; key: string }
  adminIds: string[]
}

/** Messages of the process: its progress every second, and failures by code once it has finished. */
export type ClientsMessage = { operations: number; failures?: [string, number][] }

/** The message that ends the run. */
export const finish = 'finish'
