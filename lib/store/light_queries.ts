/** Queries of the driver that are thrown away as soon as they are done. */
import type postgres from "postgres";

type Executor = ConstructorParameters<typeof Promise<unknown>>[0];
type Then = Promise<unknown>["then"];

/** Has a promise, where the driver's queries are one. */
class HasPromise {
  readonly #promise: Promise<unknown>;

  constructor(executor: Executor) {
    this.#promise = new Promise(executor);
  }

  then(...handlers: Parameters<Then>): ReturnType<Then> {
    return this.#promise.then(...handlers);
  }

  catch(handler?: Parameters<Then>[1]): ReturnType<Then> {
    return this.#promise.catch(handler);
  }

  finally(handler?: () => void): ReturnType<Then> {
    return this.#promise.finally(handler);
  }
}

/**
 * Lets the driver's queries (postgres 3.4.9: a subclass of `Promise`) have a promise instead of being one. In V8 14, objects
 * of such a class outlive two collections of the young generation, with all values that they were sent with, and then wait
 * among the old ones for a collection of everything. With what transactions held (`lastingPool()`) that was a quarter of
 * all that the intake made. Where the driver is made in another way this changes nothing.
 *
 * @param sql any pool; all others change with it
 */
export function lightenQueries(sql: postgres.Sql): void {
  // Never sent: a query is when somebody waits for it.
  const { constructor: made } = Object.getPrototypeOf(sql`select`);
  if (typeof made !== "function" || Object.getPrototypeOf(made) !== Promise) return;
  Object.setPrototypeOf(made, HasPromise);
  Object.setPrototypeOf(made.prototype, HasPromise.prototype);
}
