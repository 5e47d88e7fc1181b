export default { files: ['test/**/*.test.ts'], extensions: ['ts'], concurrency: 2, timeout: '60s' }
