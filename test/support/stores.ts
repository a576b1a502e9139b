/** Fresh stores for tests, all of them to be held with `await using`. */
export { databaseKind, type TestDatabase, testDatabase } from "./database.ts";
export { type TestKv, testKv } from "./kv.ts";
export { objectsKind, type TestObjects, testObjects } from "./objects.ts";
export { type TestServices, testServices } from "./services.ts";
