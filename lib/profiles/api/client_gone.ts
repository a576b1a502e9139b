/** Ends an answer that nobody waits for any longer without an error in the log. */
export async function unlessGone(req: Request, work: Promise<Response>): Promise<Response> {
  try {
    return await work;
  } catch (error) {
    // 499 is what nginx writes then.
    if (req.signal.aborted) return new Response(null, { status: 499 });
    throw error;
  }
}
