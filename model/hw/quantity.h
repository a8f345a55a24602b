// Strong numeric types: a count of something, a place on an axis, an index of one container.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace spillway {

/// A count with a unit. Counts of one unit add and scale by integers; two units never mix.
template <class Tag>
struct Quantity {
  std::int64_t value = 0;

  constexpr Quantity() = default;
  explicit constexpr Quantity(std::int64_t v) : value(v) {}

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value + b.value);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value - b.value);
  }
  friend constexpr Quantity operator*(Quantity a, std::int64_t k) { return Quantity(a.value * k); }
  friend constexpr Quantity operator*(std::int64_t k, Quantity a) { return Quantity(a.value * k); }
  /// How often `b` fits into `a`, rounded towards zero.
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.value / b.value; }
  constexpr Quantity& operator+=(Quantity b) {
    value += b.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity b) {
    value -= b.value;
    return *this;
  }
};

/// A place on an axis whose distances are `Step`: places subtract to a step and never add.
template <class Tag, class Step>
struct Position {
  using Distance = Step;
  std::int64_t value = 0;

  constexpr Position() = default;
  explicit constexpr Position(std::int64_t v) : value(v) {}

  friend constexpr auto operator<=>(Position, Position) = default;
  friend constexpr Position operator+(Position a, Step d) { return Position(a.value + d.value); }
  friend constexpr Position operator-(Position a, Step d) { return Position(a.value - d.value); }
  friend constexpr Step operator-(Position a, Position b) { return Step(a.value - b.value); }
};

/// An index into one kind of container.
template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr Id() = default;
  explicit constexpr Id(std::uint32_t v) : value(v) {}
  explicit constexpr Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  explicit constexpr Id(int v) : value(static_cast<std::uint32_t>(v)) {}

  friend constexpr auto operator<=>(Id, Id) = default;
};

/// A vector that only its own id type indexes.
template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t n, const T& value = T()) : items_(n, value) {}

  typename std::vector<T>::reference operator[](IdType id) { return items_[id.value]; }
  typename std::vector<T>::const_reference operator[](IdType id) const { return items_[id.value]; }
  T& at(IdType id) { return items_.at(id.value); }
  const T& at(IdType id) const { return items_.at(id.value); }
  IdType push_back(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t n, const T& value = T()) { items_.resize(n, value); }
  bool contains(IdType id) const { return id.value < items_.size(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace spillway

template <class Tag>
struct std::hash<spillway::Id<Tag>> {
  std::size_t operator()(spillway::Id<Tag> id) const {
    return std::hash<std::uint32_t>()(id.value);
  }
};
