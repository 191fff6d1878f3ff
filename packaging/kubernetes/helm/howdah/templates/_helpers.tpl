{{/* The release's name, where it has the chart's in it, or both. */}}
{{- define "howdah.name" -}}
{{- if contains .Chart.Name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "howdah.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "howdah.labels" -}}
{{ include "howdah.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* A list as JSON: what env gives the container, and what variables names beside it. */}}
{{- define "howdah.variables" -}}
{{- $names := .Values.variables }}
{{- range .Values.env }}
{{- $names = append $names .name }}
{{- end }}
{{- without (uniq $names) "PATH" | toJson }}
{{- end }}

{{- define "howdah.memory" -}}
{{- $megabytes := add (mul .Values.workers .Values.memory.worker) .Values.memory.opcache .Values.memory.rest }}
{{- if mod $megabytes 1024 }}
{{- printf "%dMi" $megabytes }}
{{- else }}
{{- printf "%dGi" (div $megabytes 1024) }}
{{- end }}
{{- end }}

{{/* What the schema cannot say, as it is about two values. */}}
{{- define "howdah.check" -}}
{{- $realms := mul .Values.workers .Values.concurrency | int }}
{{- if and .Values.autoscaling.by (ge (int .Values.autoscaling.requests) $realms) }}
{{- fail (printf "autoscaling.requests=%d is not less than the %d realms of a pod (workers x concurrency): another pod would come too late" (int .Values.autoscaling.requests) $realms) }}
{{- end }}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) }}
{{- fail "autoscaling.minReplicas is above autoscaling.maxReplicas" }}
{{- end }}
{{- if gt (int .Values.adaptive) (int .Values.concurrency) }}
{{- fail "adaptive is above concurrency, which is the most that it may become" }}
{{- end }}
{{- if and (regexMatch "^[0-9]+$" (toString .Values.cpu)) (gt (int .Values.cpu) (int .Values.workers)) }}
{{- fail (printf "cpu=%s is above workers=%d, which is the limit" (toString .Values.cpu) (int .Values.workers)) }}
{{- end }}
{{- if gt (int .Values.queue.unready) (int .Values.queue.length) }}
{{- fail "queue.unready is above queue.length: a pod whose queue is full would be ready" }}
{{- end }}
{{- end }}
