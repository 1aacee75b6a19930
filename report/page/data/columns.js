/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The columns of a payload: varints or JSON, by name. A payload may be damaged or made by
 * somebody else, so a column must be used up to its last byte and each number must be below a bound.
 * What is not so is refused with a sentence that names the column, by throwing a Refusal.
 *
 * Each file of this folder adds to one namespace, `rwalker`, and does nothing else until the page has loaded.
 */
(function (rwalker) {
	'use strict';

	const LAST_SCALE = 2 ** 49; /* of the last group of 7 bits in a number below 2^53 */

	class Refusal extends Error {}

	/* Fills `result`; returns the bytes used and the largest number. */
	function readVarints(bytes, result) {
		let at = 0,
			largest = 0;

		for (let i = 0; i < result.length; i++) {
			let byte = bytes[at++],
				value = byte & 127,
				scale = 128;

			while (byte > 127) {
				if (scale > LAST_SCALE) return {at: -1, largest: Infinity};
				byte = bytes[at++];
				value += (byte & 127) * scale;
				scale *= 128;
			}
			if (value > largest) largest = value;
			result[i] = value;
		}
		return {at, largest};
	}

	function undoZigzag(values) {
		for (let i = 0; i < values.length; i++)
			values[i] = values[i] % 2 ? -(values[i] + 1) / 2 : values[i] / 2;
	}

	/* The smallest array that holds numbers below `bound`. */
	function arrayFor(bound, count) {
		if (bound <= 256) return new Uint8Array(count);
		if (bound <= 65536) return new Uint16Array(count);
		return bound <= 2 ** 32 ? new Uint32Array(count) : new Float64Array(count);
	}

	class Columns {
		/* `places`: name -> [offset, bytes, count] within `bytes`. */
		constructor(bytes, places) {
			this.bytes = bytes;
			this.places = places;
		}

		count(name) {
			return this.place(name)[2];
		}

		place(name) {
			const place = Object.hasOwn(this.places, name) ? this.places[name] : [0, 0, 0];
			const sound =
				Array.isArray(place) &&
				place.length === 3 &&
				place.every(value => Number.isSafeInteger(value) && value >= 0) &&
				place[0] + place[1] <= this.bytes.length;

			if (!sound) throw new Refusal(`column '${name}' is outside of the payload`);
			return place;
		}

		part(name) {
			const [offset, length] = this.place(name);

			return this.bytes.subarray(offset, offset + length);
		}

		read(name, result, bound) {
			const part = this.part(name),
				{at, largest} = readVarints(part, result);

			if (at !== part.length)
				throw new Refusal(`column '${name}' does not end with its last number`);
			if (result.length && largest >= bound)
				throw new Refusal(`column '${name}' has a number that is too large`);
			return result;
		}

		/* Each number has at least one byte, so that a count cannot make the page allocate more than it has. */
		countChecked(name) {
			const [, length, count] = this.place(name);

			if (count > length)
				throw new Refusal(`column '${name}' has fewer numbers than it says`);
			return count;
		}

		/* Numbers below `bound`, in the smallest array that holds them. */
		numbers(name, bound) {
			return this.read(name, arrayFor(bound, this.countChecked(name)), bound);
		}

		/* Lengths of time and the like: mostly below 2^32, and then half as large in memory. */
		amounts(name) {
			const small = new Uint32Array(this.countChecked(name)),
				part = this.part(name);
			const {at, largest} = readVarints(part, small);

			if (at === part.length && largest < 2 ** 32) return small;
			return this.read(name, new Float64Array(small.length), Number.MAX_SAFE_INTEGER);
		}

		signed(name) {
			const values = new Float64Array(this.countChecked(name));

			this.read(name, values, Number.MAX_SAFE_INTEGER);
			undoZigzag(values);
			return values;
		}

		json(name) {
			const part = this.part(name);

			if (!part.length) return [];
			try {
				return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(part));
			} catch {
				throw new Refusal(`column '${name}' is not JSON`);
			}
		}

		/* Columns of one table have one length. */
		same(names) {
			const count = this.count(names[0]);

			for (const name of names)
				if (this.count(name) !== count)
					throw new Refusal(`column '${name}' does not fit '${names[0]}'`);
			return count;
		}
	}

	Object.assign(rwalker, {Columns, Refusal, arrayFor});
})((globalThis.rwalker ??= {}));
