import { settings } from '../settings.ts'

/** Creates code samples that change nothing: they check whether a user may view a document. */
export function createSnippets(key: string, service: string): { title: string; code: string }[] {
  const { base_url: rest, grpc_address: grpc, grpc_encrypted: isEncrypted } = settings
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
  service: '${service}',
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
      code: `import os
from daikon import Client, Resource, Subject

client = Client(
    "${grpc}",
    service="${service}",
    service_key=os.environ["DAIKON_SERVICE_KEY"],
)
allowed = client.check(
    Subject(email="alice@example.com"),
    "view",
    Resource("document", "readme"),
)`,
    },
    {
      title: 'Go',
      code: `client, err := daikon.New("${grpc}",
	daikon.WithService("${service}"),
	daikon.WithServiceKey(os.Getenv("DAIKON_SERVICE_KEY")),
)
if err != nil {
	return err
}
allowed, err := client.Check(ctx,
	daikon.Subject{Email: "alice@example.com"},
	"view",
	daikon.Resource{Type: "document", ID: "readme"},
)`,
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
grpcurl ${isEncrypted ? '' : '-plaintext '}-emit-defaults -H "x-service-key: $DAIKON_SERVICE_KEY" \\
  -d '${evaluation}' \\
  ${grpc} daikon.v1.AccessService/Evaluate
# Resources of this key belong to the service ${service}.`,
    },
  ]
}
