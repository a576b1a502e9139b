import io.sentry.Attachment;
import io.sentry.Breadcrumb;
import io.sentry.CheckIn;
import io.sentry.CheckInStatus;
import io.sentry.Hint;
import io.sentry.MonitorConfig;
import io.sentry.MonitorSchedule;
import io.sentry.Sentry;
import io.sentry.TransactionOptions;
import io.sentry.protocol.User;
import java.nio.charset.StandardCharsets;

/** Everything at once, through the stock SDK: see client_matrix_test.ts for what has to arrive. */
public final class Matrix {
  public static void main(String[] args) {
    Sentry.init(options -> {
      options.setDsn(System.getenv("SENTRY_DSN"));
      options.setRelease("shop@1.4.2");
      options.setEnvironment("production");
      options.setTracesSampleRate(1.0);
      options.getLogs().setEnabled(true);
    });
    var user = new User();
    user.setId("7");
    user.setEmail("ann@example.test");
    Sentry.setUser(user);
    Sentry.setTag("plan", "team");
    var crumb = new Breadcrumb("checkout started");
    crumb.setCategory("cart");
    Sentry.addBreadcrumb(crumb);
    Sentry.startSession();

    var options = new TransactionOptions();
    options.setBindToScope(true);
    var transaction = Sentry.startTransaction("checkout", "task", options);
    transaction.startChild("db.query", "select stock").finish();
    var error = new RuntimeException("Cannot charge order 4711", new IllegalStateException("card is null"));
    var text = "order 4711".getBytes(StandardCharsets.UTF_8);
    Sentry.captureException(error, Hint.withAttachment(new Attachment(text, "order.txt")));
    transaction.finish();

    var begun = new CheckIn("nightly-report", CheckInStatus.IN_PROGRESS);
    begun.setMonitorConfig(new MonitorConfig(MonitorSchedule.crontab("0 3 * * *")));
    var ended = new CheckIn(Sentry.captureCheckIn(begun), "nightly-report", CheckInStatus.OK);
    ended.setDuration(2.0);
    Sentry.captureCheckIn(ended);
    Sentry.endSession();
    Sentry.close();
  }
}
