// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tensor_view.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise::tape {
namespace {

using support::bitwise_equal;
using support::ramp;

TEST(TensorView, IsMadeAgainOverItsStorage) {
  const at::Tensor part = ramp({4, 3}).t().slice(0, 1, 3);
  const at::Tensor again = TensorView::of(part).over(part.storage());

  EXPECT_TRUE(bitwise_equal(again, part));
  EXPECT_EQ(again.strides(), part.strides());
  EXPECT_EQ(again.storage_offset(), 1);
  EXPECT_TRUE(again.is_alias_of(part));
}

TEST(TensorView, CoversAStorageOfWhichEveryByteIsOfAnElement) {
  const at::Tensor whole = ramp({4, 3});
  const c10::StorageImpl& storage = *whole.storage().unsafeGetStorageImpl();

  EXPECT_TRUE(TensorView::of(whole).covers(storage));
  EXPECT_TRUE(TensorView::of(whole.t()).covers(storage));
  EXPECT_FALSE(TensorView::of(whole[1]).covers(storage));
  EXPECT_FALSE(TensorView::of(whole.slice(0, 0, 3)).covers(storage));
  EXPECT_FALSE(TensorView::of(whole[0].expand({4, 3})).covers(storage));
}

TEST(ViewPool, GivesTensorsThatLookAlikeOneView) {
  ViewPool pool;
  const auto view = pool.of(ramp({2, 3}));

  EXPECT_EQ(pool.of(torch::zeros({2, 3}, torch::kDouble)), view);
  EXPECT_TRUE(view->is_of(ramp({2, 3})));
}

TEST(ViewPool, TellsApartWhatLiesDifferently) {
  ViewPool pool;
  const at::Tensor square = ramp({3, 3});
  const auto view = pool.of(square);

  EXPECT_NE(pool.of(ramp({9})), view);
  EXPECT_NE(pool.of(square.t()), view);
  EXPECT_NE(pool.of(ramp({4, 3}).slice(0, 1)), view);
}

TEST(ViewPool, TellsApartOtherKindsOfElements) {
  ViewPool pool;
  const at::Tensor complex = torch::complex(ramp({3}), ramp({3}));
  const at::Tensor number = torch::scalar_to_tensor(2.5);
  number.unsafeGetTensorImpl()->set_wrapped_number(true);

  EXPECT_NE(pool.of(torch::zeros({3}, torch::kFloat)), pool.of(torch::zeros({3}, torch::kInt)));
  EXPECT_NE(pool.of(complex.conj()), pool.of(complex));
  EXPECT_NE(pool.of(number), pool.of(torch::zeros({}, torch::kDouble)));
}

TEST(ViewPool, KeepsAViewForThoseWhoHaveIt) {
  std::shared_ptr<const TensorView> view;
  {
    ViewPool pool;
    view = pool.of(ramp({2, 3}));
  }
  EXPECT_TRUE(view->is_of(ramp({2, 3})));
}

TEST(ViewPool, GivesTheEmptyViewForATensorWithoutDenseStorage) {
  ViewPool pool;
  const auto view = pool.of(torch::eye(3, torch::kDouble).to_sparse());

  ASSERT_NE(view, nullptr);
  EXPECT_TRUE(view->sizes.empty());
  EXPECT_EQ(view->digest, 0);
  EXPECT_EQ(ViewPool().of(torch::eye(2).to_sparse()), view);
}

}  // namespace
}  // namespace reprise::tape
