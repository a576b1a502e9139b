# Everything at once, through the stock SDK: see client_matrix_test.ts for what has to arrive.
require "sentry-ruby"

Sentry.init do |config|
  config.dsn = ENV.fetch("SENTRY_DSN")
  config.release = "shop@1.4.2"
  config.environment = "production"
  config.traces_sample_rate = 1.0
  config.background_worker_threads = 0
  config.breadcrumbs_logger = []
end

Sentry.set_user(id: "7", email: "ann@example.test")
Sentry.set_tags(plan: "team")
Sentry.add_breadcrumb(Sentry::Breadcrumb.new(category: "cart", message: "checkout started", level: "info"))

transaction = Sentry.start_transaction(name: "checkout", op: "task")
Sentry.get_current_scope.set_span(transaction)
transaction.with_child_span(op: "db.query", description: "select stock") { nil }
begin
  begin
    raise TypeError, "card is null"
  rescue TypeError
    raise "Cannot charge order 4711"
  end
rescue RuntimeError => error
  Sentry.capture_exception(error)
end
transaction.finish
