// Installed beside it, as all of ../javascript is.
require("./profiled_checkout.cjs");
