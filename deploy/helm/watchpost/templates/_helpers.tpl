{{- define "watchpost.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "watchpost.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "watchpost.labels" -}}
{{ include "watchpost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* What does not go together is told before anything is made. */ -}}
{{- define "watchpost.check" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.externalStores.enabled) -}}
{{- fail "replicas may be more than 1 only with externalStores.enabled: the embedded stores belong to one process" -}}
{{- end -}}
{{- if .Values.externalStores.enabled -}}
{{- $_ := required "externalStores.secretName names no secret: it has DATABASE_URL, DENO_KV_ACCESS_TOKEN, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" .Values.externalStores.secretName -}}
{{- $_ := required "externalStores.kvUrl is empty: it is the address of the denokv server" .Values.externalStores.kvUrl -}}
{{- $_ := required "externalStores.s3.endpoint is empty: it is the address of the object store" .Values.externalStores.s3.endpoint -}}
{{- $_ := required "externalStores.s3.bucket is empty: it names a bucket that exists" .Values.externalStores.s3.bucket -}}
{{- end -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (add (int .Values.preStopSleepSeconds) 10 | int) -}}
{{- fail "terminationGracePeriodSeconds is too short: Watchpost needs 10 seconds after preStopSleepSeconds" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is empty: it is the host of baseUrl" -}}
{{- end -}}
{{- end -}}
