"""A shop that counts: see metrics_story.ts for what. All settings come from the environment."""

import os
import time

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "http/json":
    from opentelemetry.exporter.otlp.json.http.metric_exporter import OTLPMetricExporter
else:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

reader = PeriodicExportingMetricReader(OTLPMetricExporter(), export_interval_millis=60_000)
provider = MeterProvider(metric_readers=[reader])

meter = provider.get_meter("shop")
orders = meter.create_counter("shop.orders", unit="{order}")
queue = meter.create_gauge("shop.queue.length", unit="{order}")
checkout = meter.create_histogram(
    "shop.checkout.duration",
    unit="s",
    explicit_bucket_boundaries_advisory=[0.1, 0.5, 1, 2, 5],
)

orders.add(3, {"payment": "card"})
orders.add(2, {"payment": "cash"})
queue.set(9)
for seconds in [0.02, 0.2, 0.7]:
    checkout.record(seconds)
# A counter that is exported at once says that its beginning is unknown.
time.sleep(0.02)
provider.force_flush()

orders.add(4, {"payment": "card"})
queue.set(4)
for seconds in [1.4, 3.2]:
    checkout.record(seconds)
provider.shutdown()
