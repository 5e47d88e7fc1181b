import { settings } from '../settings.ts'

/** The default port of gRPC: the console does not know the address that services use. */
const grpcPort = 50051

/** Code that registers nothing and changes nothing: it asks whether a user may view a document. */
export function createSnippets(key: string, service: string): { title: string; code: string }[] {
  const rest = settings.base_url
  const grpc = `${new URL(rest).hostname}:${grpcPort}`
  const evaluation = JSON.stringify({
    subject: { type: 'user', id: 'alice@example.com' },
    action: { name: 'view' },
    resource: { type: 'document', id: 'readme' },
  })
  return [
    {
      title: 'Node.js',
      code: `import { createDaikon } from '@daikon-auth/client'

const daikon = createDaikon({
  address: '${grpc}',
  serviceKey: process.env.DAIKON_SERVICE_KEY,
})
const allowed = await daikon.check(
  { email: 'alice@example.com' },
  'view',
  { type: 'document', id: 'readme' },
)`,
    },
    {
      title: 'Python',
      code: `import json, os, urllib.request

request = urllib.request.Request(
    "${rest}/access/v1/evaluation",
    data=json.dumps({
        "subject": {"type": "user", "id": "alice@example.com"},
        "action": {"name": "view"},
        "resource": {"type": "document", "id": "readme"},
    }).encode(),
    headers={
        "content-type": "application/json",
        "x-service-key": os.environ["DAIKON_SERVICE_KEY"],
    },
)
allowed = json.load(urllib.request.urlopen(request))["decision"]`,
    },
    {
      title: 'Go',
      code: `body := strings.NewReader(\`${evaluation}\`)
request, err := http.NewRequest("POST", "${rest}/access/v1/evaluation", body)
if err != nil {
	return err
}
request.Header.Set("Content-Type", "application/json")
request.Header.Set("X-Service-Key", os.Getenv("DAIKON_SERVICE_KEY"))
response, err := http.DefaultClient.Do(request)`,
    },
    {
      title: 'curl',
      code: `export DAIKON_SERVICE_KEY=${key}
curl -s ${rest}/access/v1/evaluation \\
  -H "x-service-key: $DAIKON_SERVICE_KEY" -H "content-type: application/json" \\
  -d '${evaluation}'`,
    },
    {
      title: 'grpcurl',
      code: `export DAIKON_SERVICE_KEY=${key}
grpcurl -plaintext -emit-defaults -H "x-service-key: $DAIKON_SERVICE_KEY" \\
  -d '${evaluation}' \\
  ${grpc} daikon.v1.AccessService/Evaluate
# Resources of this key belong to the service ${service}.`,
    },
  ]
}
