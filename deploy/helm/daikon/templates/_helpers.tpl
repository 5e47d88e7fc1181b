{{- define "daikon.name" -}}
{{- .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "daikon.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "daikon.selector" -}}
app.kubernetes.io/name: {{ include "daikon.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "daikon.labels" -}}
{{ include "daikon.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "daikon.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "daikon.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "daikon.fullname" .) .Values.serviceAccount.name }}
{{- else }}{{ default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "daikon.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "daikon.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "daikon.volumes" -}}
- name: tmp
  emptyDir: {}
{{/* Of root and its group: the server accepts that, and reads the files again when the secrets change. */}}
- name: signing-keys
  secret:
    secretName: {{ required "secrets.signingKeys names the secret with private.pem and public.pem" .Values.secrets.signingKeys }}
    defaultMode: 0440
{{- if .Values.secrets.grpcTls }}
- name: grpc-tls
  secret: { secretName: {{ .Values.secrets.grpcTls }}, defaultMode: 0440 }
{{- end }}
{{- end }}

{{- define "daikon.keyMounts" -}}
- { name: signing-keys, mountPath: /keys/signing, readOnly: true }
{{- if .Values.secrets.grpcTls }}
- { name: grpc-tls, mountPath: /keys/grpc, readOnly: true }
{{- end }}
{{- end }}

{{- define "daikon.environment" -}}
{{- $settings := dict
  "DEBUG" "false"
  "BASE_URL" (required "baseUrl is required, such as https://auth.example.com" .Values.baseUrl)
  "ADMIN_URL" (required "adminUrl is required, such as https://admin.example.com" .Values.adminUrl)
  "SERVICE_KEYS_REQUIRED" "true"
  "TRUSTED_PROXIES" "1"
  "WORKERS" (toString .Values.workers)
  "DATA_DIR" "/tmp/daikon"
  "JWT_PRIVATE_KEY_PATH" "/keys/signing/private.pem"
  "JWT_PUBLIC_KEY_PATH" "/keys/signing/public.pem" -}}
{{- if .Values.secrets.grpcTls }}
{{- $_ := set $settings "GRPC_TLS_CERT_PATH" "/keys/grpc/tls.crt" }}
{{- $_ := set $settings "GRPC_TLS_KEY_PATH" "/keys/grpc/tls.key" }}
{{- if .Values.secrets.grpcClientCa }}{{ $_ := set $settings "GRPC_TLS_CLIENT_CA_PATH" "/keys/grpc/ca.crt" }}{{ end }}
{{- end }}
{{- range $name, $value := mergeOverwrite $settings .Values.settings }}
- { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end }}

{{/* The resources of a pod: memory for each worker, unless the values set it for the pod. */}}
{{- define "daikon.resources" -}}
{{- $memory := .Values.memoryPerWorker -}}
{{- $resources := dict
  "requests" (dict "memory" (printf "%dMi" (mul .Values.workers $memory.request)))
  "limits" (dict "memory" (printf "%dMi" (mul .Values.workers $memory.limit))) -}}
{{- toYaml (mergeOverwrite $resources .Values.resources) }}
{{- end }}

{{/* A rule of the network policy: the ports that the pods of namespaces, and further peers, may call. */}}
{{- define "daikon.ingressRule" -}}
{{- $peers := default list .from }}
{{- range .namespaces }}
{{- $peers = append $peers (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" .))) }}
{{- end }}
{{- if $peers -}}
- from: {{- toYaml $peers | nindent 4 }}
  ports:
    {{- range .ports }}
    - { port: {{ . }} }
    {{- end }}
{{- end }}
{{- end }}
